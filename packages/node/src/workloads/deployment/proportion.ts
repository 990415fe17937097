import type { ReplicaSet } from '@orrery/kinds'
import type { Bounds } from './bounds.js'
import { DESIRED_REPLICAS, MAX_REPLICAS } from './names.js'
import { allOf, byAge, byRevision, isRunningSome, type Rollout, sizeOf, total } from './rollout.js'
import type { Sizes } from './sizes.js'

/** Returns whether `replicas` changed since the ReplicaSets got their sizes. */
export function isRescaled({ replicas }: Bounds, rollout: Rollout): boolean {
  return allOf(rollout)
    .filter(isRunningSome)
    .some(({ metadata }) => {
      const desired = metadata.annotations?.[DESIRED_REPLICAS]
      return desired !== undefined && Number(desired) !== replicas
    })
}

/**
 * Returns the sizes after a change of `replicas`, or of a paused Deployment (proportional scaling). During a rollout
 * each ReplicaSet gets its share of the change, so that scaling does not accelerate the rollout.
 */
export function proportionalSizes(bounds: Bounds, rollout: Rollout, isRolling: boolean): Sizes {
  const { current, former } = rollout
  const running = allOf(rollout).filter(isRunningSome)
  const only = running.length > 1 ? undefined : (running[0] ?? current ?? latest(former))
  if (running.length <= 1) {
    return only === undefined || sizeOf(only) === bounds.replicas ? new Map() : new Map([[only, bounds.replicas]])
  }
  if (isSaturated(current, bounds)) {
    return new Map(former.filter(isRunningSome).map((set) => [set, 0]))
  }
  return isRolling ? spread(bounds, running) : new Map()
}

function spread({ replicas, maxSurge }: Bounds, running: readonly ReplicaSet[]): Sizes {
  const allowed = replicas > 0 ? replicas + maxSurge : 0
  const toAdd = allowed - total(running, sizeOf)
  if (toAdd === 0) return new Map()
  // Largest first; among equal ones newer ones grow first and older ones shrink first.
  const ordered = running.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)))
  const sizes = new Map<ReplicaSet, number>()
  let left = toAdd
  for (const set of ordered) {
    const part = clamp(shareOf(set, replicas, allowed), left)
    sizes.set(set, sizeOf(set) + part)
    left -= part
  }
  const [largest] = ordered
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + left))
  return sizes
}

/** Returns the change of a ReplicaSet that keeps its share of the total. */
function shareOf(set: ReplicaSet, replicas: number, allowed: number): number {
  const size = sizeOf(set)
  if (replicas === 0) return -size
  const former = Number(set.metadata.annotations?.[MAX_REPLICAS] ?? 0)
  return Math.round((size * allowed) / (former > 0 ? former : allowed)) - size
}

/** Limits a change to what is left, in the same direction. */
function clamp(part: number, left: number): number {
  return left > 0 ? Math.max(0, Math.min(part, left)) : Math.min(0, Math.max(part, left))
}

/** Returns whether the current ReplicaSet has all pods available. */
function isSaturated(current: ReplicaSet | undefined, { replicas }: Bounds): boolean {
  if (current === undefined) return false
  const desired = Number(current.metadata.annotations?.[DESIRED_REPLICAS] ?? Number.NaN)
  return sizeOf(current) === replicas && desired === replicas && current.status?.availableReplicas === replicas
}

function latest(sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return sets.toSorted((a, b) => byRevision(b, a))[0]
}
