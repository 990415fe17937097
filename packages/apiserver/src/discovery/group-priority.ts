/**
 * The order in which clients search the groups for a resource name that is not qualified. An APIService shows the number.
 * The group of APIServices is not one of them itself and follows the core group.
 */
const GROUP_PRIORITY: ReadonlyMap<string, number> = new Map([
  ['', 18_000],
  ['apiregistration.k8s.io', 17_900],
  ['apps', 17_800],
  ['events.k8s.io', 17_750],
  ['authentication.k8s.io', 17_700],
  ['authorization.k8s.io', 17_600],
  ['autoscaling', 17_500],
  ['batch', 17_400],
  ['certificates.k8s.io', 17_300],
  ['networking.k8s.io', 17_200],
  ['policy', 17_100],
  ['rbac.authorization.k8s.io', 17_000],
  ['storage.k8s.io', 16_800],
  ['admissionregistration.k8s.io', 16_700],
  ['apiextensions.k8s.io', 16_700],
  ['scheduling.k8s.io', 16_600],
  ['coordination.k8s.io', 16_500],
  ['node.k8s.io', 16_300],
  ['discovery.k8s.io', 16_200],
  ['resource.k8s.io', 16_200],
  ['flowcontrol.apiserver.k8s.io', 16_100],
])

/** The priority of groups that are not built in. */
export const CUSTOM_GROUP_PRIORITY = 1000

/** The priority of a group. The group with the highest is first. */
export function groupPriority(group: string): number {
  return GROUP_PRIORITY.get(group) ?? CUSTOM_GROUP_PRIORITY
}

/** Orders groups by priority, and groups of one priority by name. */
export function compareGroups(a: string, b: string): number {
  return groupPriority(b) - groupPriority(a) || (a < b ? -1 : a > b ? 1 : 0)
}
