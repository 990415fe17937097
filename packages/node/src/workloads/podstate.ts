import type { Pod } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'

/** Whether all its containers have ended for good. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Whether it counts as a replica: it runs or may yet run, and nobody has asked it to end. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isBeingDeleted(pod)
}

/** Whether it was asked to end and has not ended yet. */
export function isTerminating(pod: Pod): boolean {
  return !isFinished(pod) && isBeingDeleted(pod)
}

export function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, 'Ready')
}

/** When a pod has been ready for long enough, in milliseconds since 1970; undefined while it is not ready. */
export function availableFrom(pod: Pod, minReadySeconds: number): number | undefined {
  if (!isReady(pod)) return undefined
  const since = findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime
  if (minReadySeconds === 0) return 0
  return since === undefined ? undefined : Date.parse(since) + minReadySeconds * 1000
}

/** Whether it has been ready for long enough. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: Date): boolean {
  const from = availableFrom(pod, minReadySeconds)
  return from !== undefined && from <= now.getTime()
}

/** When the next of some pods that are ready has been so for long enough. */
export function nextAvailable(pods: readonly Pod[], minReadySeconds: number, now: Date): Date | undefined {
  if (minReadySeconds === 0) return undefined
  let next = Number.POSITIVE_INFINITY
  for (const pod of pods) {
    const from = availableFrom(pod, minReadySeconds)
    if (from !== undefined && from > now.getTime()) next = Math.min(next, from)
  }
  return Number.isFinite(next) ? new Date(next) : undefined
}

/** How often its containers were started again. */
export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((most, { restartCount }) => Math.max(most, restartCount), 0)
}
