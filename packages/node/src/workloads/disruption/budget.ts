import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '@orrery/kinds'
import { share } from '../int-or-percent.js'
import { isReady } from '../podstate.js'

/** How long an evicted pod counts as disrupted. If it still exists after that, it is assumed to stay. */
export const REMOVAL_TIME = 120_000

/** The expected number of pods, and the required number of healthy ones. */
export interface ExpectedPods {
  readonly expected: number
  readonly desired: number
}

/** Returns whether a budget depends on the scale of the controllers and not on the number of pods. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'
}

/** `scale` is the total of the replicas that the controllers of these pods want, if the budget needs it. */
export function expectedPodsOf({ spec }: PodDisruptionBudget, pods: readonly Pod[], scale: number): ExpectedPods {
  const { maxUnavailable, minAvailable } = spec ?? {}
  if (maxUnavailable !== undefined) {
    return { expected: scale, desired: Math.max(0, scale - share(maxUnavailable, scale, 'up')) }
  }
  if (typeof minAvailable === 'string') return { expected: scale, desired: share(minAvailable, scale, 'up') }
  return { expected: pods.length, desired: minAvailable ?? 1 }
}

/** Returns the numbers of a budget's status. Evicted pods count as gone until they are, or the time limit passes. */
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
