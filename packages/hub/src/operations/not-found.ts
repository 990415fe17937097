/** The message for clusters that do not exist on the hub. */
export function clusterNotFound(...names: readonly string[]): string {
  return `cluster ${names.join(', ')} not found: run \`orrery get clusters\` to list clusters`
}

/** The message for cluster sets that do not exist on the hub. */
export function clusterSetNotFound(...names: readonly string[]): string {
  return `cluster set ${names.join(', ')} not found: run \`orrery get clustersets\` to list cluster sets`
}

/** The message for placements that do not exist. */
export function placementNotFound(namespace: string | undefined, ...names: readonly string[]): string {
  const full = names.map((name) => (namespace === undefined ? name : `${namespace}/${name}`))
  return `placement ${full.join(', ')} not found: run \`orrery get placements -A\` to list placements`
}

/** The message for add-ons that do not exist on the hub. */
export function addOnNotFound(...names: readonly string[]): string {
  return `add-on ${names.join(', ')} not found: it has no ClusterManagementAddOn; install the add-on on the hub first`
}
