import type { Pod } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { isBeingDeleted } from '@orrery/kube'

/** Returns whether the phase is `Succeeded` or `Failed`. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Returns whether the pod counts as a replica: it is neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isBeingDeleted(pod)
}

/** Returns whether the pod is being deleted and has not finished. */
export function isTerminating(pod: Pod): boolean {
  return !isFinished(pod) && isBeingDeleted(pod)
}

export function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, 'Ready')
}

/** Returns when a pod becomes available, in milliseconds since 1970; undefined while it is not ready. */
function availableFrom(pod: Pod, minReadySeconds: number): number | undefined {
  if (!isReady(pod)) return undefined
  const since = findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime
  if (minReadySeconds === 0) return 0
  return since === undefined ? undefined : Date.parse(since) + minReadySeconds * 1000
}

/** Returns whether the pod has been ready for `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: Date): boolean {
  const from = availableFrom(pod, minReadySeconds)
  return from !== undefined && from <= now.getTime()
}

/** Returns when the next ready pod becomes available. */
export function nextAvailable(pods: readonly Pod[], minReadySeconds: number, now: Date): Date | undefined {
  if (minReadySeconds === 0) return undefined
  let next = Number.POSITIVE_INFINITY
  for (const pod of pods) {
    const from = availableFrom(pod, minReadySeconds)
    if (from !== undefined && from > now.getTime()) next = Math.min(next, from)
  }
  return Number.isFinite(next) ? new Date(next) : undefined
}

/** Returns the number of container restarts. */
export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((most, { restartCount }) => Math.max(most, restartCount), 0)
}
