/** The prefix of the names of the works that deploy an add-on to its managed cluster. A number follows, from 0. */
export function deployWorkPrefix(addon: string): string {
  return `addon-${addon}-deploy`
}

/** The prefix for the hosting cluster. Works of many managed clusters can be in its namespace. */
export function hostingWorkPrefix(addon: string, cluster: string): string {
  return `${deployWorkPrefix(addon)}${HOSTING}${cluster}`
}

/** The work with the pre-delete hooks of an add-on. */
export function hookWorkName(addon: string): string {
  return `addon-${addon}-pre-delete`
}

/** The work with the pre-delete hooks for the hosting cluster. */
export function hostingHookWorkName(addon: string, cluster: string): string {
  return `${hookWorkName(addon)}${HOSTING}${cluster}`
}

/** What a work of an add-on is for; undefined if it is none of these works. */
export function roleOfWork(name: string, addon: string): 'deploy' | 'hook' | 'hosting' | 'hostingHook' | undefined {
  if (name.startsWith(`${hookWorkName(addon)}${HOSTING}`)) return 'hostingHook'
  if (name.startsWith(hookWorkName(addon))) return 'hook'
  if (name.startsWith(`${deployWorkPrefix(addon)}${HOSTING}`)) return 'hosting'
  return name.startsWith(deployWorkPrefix(addon)) ? 'deploy' : undefined
}

/** Whether a work for a hosting cluster has the name that works for this managed cluster have. */
export function isHostedFor(name: string, addon: string, cluster: string): boolean {
  const prefix = hostingWorkPrefix(addon, cluster)
  return (
    name === hostingHookWorkName(addon, cluster) ||
    (name.startsWith(prefix) && /^(?:-\d+)?$/.test(name.slice(prefix.length)))
  )
}

const HOSTING = '-hosting-'
