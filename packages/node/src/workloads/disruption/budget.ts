import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '@orrery/kube/kinds'
import { share } from '../intorpercent.js'
import { isReady } from '../podstate.js'

/** A pod that somebody was allowed to remove and that is still there after so long will stay. */
export const REMOVAL_TIME = 120_000

/** How many pods there should be, and how many of them have to be well. */
export interface Demand {
  readonly expected: number
  readonly desired: number
}

/** `scale` gives how many pods the owners of these pods want; undefined when that cannot be found out. */
export function demandOf(
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  scale: () => number | undefined,
): Demand | undefined {
  const { maxUnavailable, minAvailable } = spec ?? {}
  if (maxUnavailable !== undefined) {
    const expected = scale()
    if (expected === undefined) return undefined
    return { expected, desired: Math.max(0, expected - share(maxUnavailable, expected, 'up')) }
  }
  if (typeof minAvailable === 'string') {
    const expected = scale()
    return expected === undefined ? undefined : { expected, desired: share(minAvailable, expected, 'up') }
  }
  return { expected: pods.length, desired: minAvailable ?? 1 }
}

/** The numbers of a budget's status. Pods whose removal was allowed count as gone until they are, or it took too long. */
export function budgetNumbers(
  before: PodDisruptionBudgetStatus | undefined,
  pods: readonly Pod[],
  { expected, desired }: Demand,
  now: Date,
) {
  const there = new Map(pods.map((pod) => [pod.metadata.name, pod]))
  const disruptedPods = Object.fromEntries(
    Object.entries(before?.disruptedPods ?? {}).filter(([name, since]) => {
      const pod = there.get(name)
      const isLeaving = pod !== undefined && pod.metadata.deletionTimestamp === undefined
      return isLeaving && Date.parse(since) + REMOVAL_TIME > now.getTime()
    }),
  )
  const isWell = (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined && isReady(pod) && !Object.hasOwn(disruptedPods, pod.metadata.name)
  const currentHealthy = pods.filter(isWell).length
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desired)
  return { currentHealthy, desiredHealthy: desired, expectedPods: expected, disruptionsAllowed, disruptedPods }
}
