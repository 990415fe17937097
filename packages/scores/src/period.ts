/** The share of a period by which clusters differ, so that they do not calculate and write all at once. */
const SPREAD = 0.1

/** The milliseconds until the next calculation for a cluster: a little less than the period, by the name of the cluster. */
export function spreadPeriod(seconds: number, cluster: string): number {
  let hash = 0
  for (let index = 0; index < cluster.length; index++) hash = (hash * 31 + cluster.charCodeAt(index)) % 1_000
  return 1_000 * seconds * (1 - (SPREAD * hash) / 1_000)
}
