import type { PolicyRule } from '@orrery/kinds/rbac'

const SHORTHAND: ReadonlyMap<string, readonly string[]> = new Map([
  ['read', ['get', 'list', 'watch']],
  ['write', ['create', 'delete', 'deletecollection', 'patch', 'update']],
  ['full', ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']],
])

/** The permission to record events, which most controllers need. */
export const EVENTS = 'create patch update: events @core,events.k8s.io'

/**
 * Parses one line of the policy tables:
 *
 *   <verbs>: <resources> [@<groups>] [=<names>]      verbs and resources by spaces, groups and names by commas
 *   <verbs>: <paths>                                 paths start with a slash
 *
 * `read`, `write` and `full` stand for the usual verbs; the group defaults to `core`.
 */
export function parseGrant(line: string): PolicyRule {
  const [left = '', right = ''] = line.split(': ')
  const verbs = [...(SHORTHAND.get(left) ?? left.split(' '))]
  const words = right.split(' ')
  if (right.startsWith('/')) return { verbs, nonResourceURLs: words }
  const groups = words.find((word) => word.startsWith('@'))?.slice(1) ?? 'core'
  const names = words.find((word) => word.startsWith('='))?.slice(1)
  const rule: PolicyRule = {
    verbs,
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: words.filter((word) => !word.startsWith('@') && !word.startsWith('=')),
  }
  return names === undefined ? rule : { ...rule, resourceNames: names.split(',') }
}
