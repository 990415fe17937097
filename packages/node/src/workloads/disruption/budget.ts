import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '@orrery/kinds'
import { share } from '../int-or-percent.js'
import { isReady } from '../podstate.js'

/** A pod that somebody was allowed to remove and that is still there after so long will stay. */
export const REMOVAL_TIME = 120_000

/** How many pods there should be, and how many of them have to be well. */
export interface ExpectedPods {
  readonly expected: number
  readonly desired: number
}

/** Whether a budget depends on how many pods there should be, and not on how many there are. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'
}

/** `scale` is how many pods the owners of these pods want, if the budget goes by that. */
export function expectedPodsOf({ spec }: PodDisruptionBudget, pods: readonly Pod[], scale: number): ExpectedPods {
  const { maxUnavailable, minAvailable } = spec ?? {}
  if (maxUnavailable !== undefined) {
    return { expected: scale, desired: Math.max(0, scale - share(maxUnavailable, scale, 'up')) }
  }
  if (typeof minAvailable === 'string') return { expected: scale, desired: share(minAvailable, scale, 'up') }
  return { expected: pods.length, desired: minAvailable ?? 1 }
}

/** The numbers of a budget's status. Pods whose removal was allowed count as gone until they are, or it took too long. */
export function budgetNumbers(
  before: PodDisruptionBudgetStatus | undefined,
  pods: readonly Pod[],
  { expected, desired }: ExpectedPods,
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
