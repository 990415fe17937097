import { organizationOf, type Template } from '@orrery/ovim'

/** The organization of a template, or `public`. */
export function sourceOf({ metadata }: Template): string {
  return organizationOf(metadata.namespace) ?? 'public'
}

/** The image of a template: `containerDisk quay.io/…`. */
export function imageText({ spec }: Template): string {
  const { pvc, ...sources } = spec.image
  if (pvc !== undefined) return `pvc ${pvc.namespace}/${pvc.name}`
  return Object.entries(sources)
    .map(([kind, where]) => `${kind} ${where}`)
    .join(' ')
}

export function templateNotFound(...names: readonly string[]): string {
  return `template ${names.join(', ')} not found: run \`orrery template list\` to list templates`
}
