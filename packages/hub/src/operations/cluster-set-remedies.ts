import type { ClusterSets } from '../placement/scheduling/index.js'

/** A requested cluster set that a placement cannot select from. */
export interface UnusableSet {
  readonly name: string
  readonly reason: 'NotBound' | 'NotFound'
}

/** The requested sets that are not bound to the namespace, or do not exist. */
export function unusableSets({ requested, bound }: ClusterSets, existing: readonly string[]): UnusableSet[] {
  return requested
    .filter((name) => !bound.includes(name))
    .map((name) => ({ name, reason: existing.includes(name) ? 'NotBound' : 'NotFound' }))
}

/** The commands that give a placement without cluster sets some to select from. Empty if it has one. */
export function clusterSetRemedies(namespace: string, sets: ClusterSets, existing: readonly string[]): string[] {
  if (sets.used.length > 0) return []
  const bind = (set: string) => `run \`${bindCommand(set, namespace)}\``
  if (sets.requested.length === 0) {
    const known = existing.length === 0 ? '' : `, where SET is one of ${existing.join(', ')}`
    return [`bind a cluster set: ${bind('SET')}${known}`]
  }
  const ways = unusableSets(sets, existing).map(({ name, reason }) =>
    reason === 'NotBound'
      ? `bind cluster set ${name}: ${bind(name)}`
      : `create cluster set ${name} and bind it: run \`orrery create clusterset ${name}\` and \`${bindCommand(name, namespace)}\``,
  )
  return [ways.join(', or ')]
}

/** The command that binds a cluster set to a namespace. */
export function bindCommand(set: string, namespace: string): string {
  return `orrery clusterset bind ${set} --namespace ${namespace}`
}
