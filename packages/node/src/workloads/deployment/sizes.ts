import type { ReplicaSet } from '@orrery/kinds'
import type { Bounds } from './bounds.js'
import { allOf, type Rollout, sizeOf, total } from './rollout.js'

/** The sizes of ReplicaSets. Those not in the map stay unchanged. */
export type Sizes = ReadonlyMap<ReplicaSet, number>

/** Returns the next size of the current ReplicaSet within the limit for all pods. */
export function nextSizeOfCurrent(bounds: Bounds, size: number, inAll: number): number {
  if (size > bounds.replicas) return bounds.replicas
  const room = bounds.replicas + bounds.maxSurge - inAll
  return size + Math.max(0, Math.min(room, bounds.replicas - size))
}

/**
 * The next step of a rolling update: the current ReplicaSet grows as far as `maxSurge` allows, and earlier ones shrink
 * as far as `maxUnavailable` allows, unavailable pods first.
 */
export function rollingSizes(bounds: Bounds, rollout: Rollout): Sizes {
  const sizes = new Map<ReplicaSet, number>()
  const { current, former } = rollout
  const inAll = total(allOf(rollout), sizeOf)
  let unavailableOfCurrent = 0
  let grown = 0
  if (current !== undefined) {
    const next = nextSizeOfCurrent(bounds, sizeOf(current), inAll)
    if (next !== sizeOf(current)) sizes.set(current, next)
    grown = next - sizeOf(current)
    unavailableOfCurrent = Math.max(0, next - availableOf(current))
  }
  const least = bounds.replicas - bounds.maxUnavailable
  shrinkFormer(sizes, former, {
    most: inAll + grown - least - unavailableOfCurrent,
    spare: total(allOf(rollout), availableOf) - least,
  })
  return sizes
}

/** The `Recreate` strategy: scales earlier ReplicaSets to 0, then the current one to its full size. */
export function recreateSizes(bounds: Bounds, { current, former }: Rollout, areFormerGone: boolean): Sizes {
  const sizes = new Map<ReplicaSet, number>()
  for (const set of former) if (sizeOf(set) > 0) sizes.set(set, 0)
  if (areFormerGone && current !== undefined && sizeOf(current) !== bounds.replicas) sizes.set(current, bounds.replicas)
  return sizes
}

interface Allowance {
  /** The maximum number of pods to remove. */
  readonly most: number
  /** The maximum number of available pods to remove. */
  readonly spare: number
}

function shrinkFormer(sizes: Map<ReplicaSet, number>, former: readonly ReplicaSet[], { most, spare }: Allowance): void {
  let left = most
  for (const set of former) {
    const broken = Math.min(left, sizeOf(set) - availableOf(set))
    if (broken <= 0) continue
    sizes.set(set, sizeOf(set) - broken)
    left -= broken
  }
  let available = Math.min(left, spare)
  for (const set of former) {
    const size = sizes.get(set) ?? sizeOf(set)
    const healthy = Math.min(available, size)
    if (healthy <= 0) continue
    sizes.set(set, size - healthy)
    available -= healthy
  }
}

/** The status of a ReplicaSet that was just scaled down still counts pods that will be removed. */
function availableOf(set: ReplicaSet): number {
  return Math.min(set.status?.availableReplicas ?? 0, sizeOf(set))
}
