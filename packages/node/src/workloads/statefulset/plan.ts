import type { Pod, StatefulSet } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { BURST } from '../batches.js'
import { share } from '../int-or-percent.js'
import { isAvailable, isFinished } from '../podstate.js'
import { isWithin, type Ordinals, ordinalOf, ordinalsOf, revisionOf } from './identity.js'

/** The next actions for the pods of a StatefulSet. */
export interface Plan {
  readonly create: readonly number[]
  readonly remove: readonly Pod[]
}

export interface Situation {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  /** The name of the update revision. */
  readonly updateRevision: string
  readonly now: Date
}

/**
 * Returns the next step. Missing pods are created first, then surplus ones deleted, then outdated ones replaced in
 * descending order. With `OrderedReady`, one step is taken at a time, and only if every earlier pod is available. Time grows
 * with the number of existing pods, not with `replicas`.
 */
export function planOf(situation: Situation): Plan {
  const { set, pods } = situation
  const wanted = ordinalsOf(set)
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod, set), pod]))
  const surplus = surplusOf(situation, wanted)
  if (set.spec.podManagementPolicy !== 'Parallel') return orderedPlan(situation, wanted, byOrdinal, surplus)
  const ended = wantedPods(situation, wanted).filter((pod) => isFinished(pod) && !isBeingDeleted(pod))
  return {
    create: missingOf(wanted, byOrdinal),
    remove: [...ended, ...surplus.filter((pod) => !isBeingDeleted(pod)), ...outdated(situation, wanted)].slice(
      0,
      BURST,
    ),
  }
}

const NOTHING: Plan = { create: [], remove: [] }

type ByOrdinal = ReadonlyMap<number | undefined, Pod>

function missingOf({ first, end }: Ordinals, byOrdinal: ByOrdinal): number[] {
  const missing: number[] = []
  for (let ordinal = first; ordinal < end && missing.length < BURST; ordinal++) {
    if (!byOrdinal.has(ordinal)) missing.push(ordinal)
  }
  return missing
}

function orderedPlan(situation: Situation, wanted: Ordinals, byOrdinal: ByOrdinal, surplus: Pod[]): Plan {
  for (let ordinal = wanted.first; ordinal < wanted.end; ordinal++) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined) return { create: [ordinal], remove: [] }
    if (isBeingDeleted(pod)) return NOTHING
    if (isFinished(pod)) return { create: [], remove: [pod] }
    if (!isUp(situation, pod)) return NOTHING
  }
  const [last] = surplus
  if (last !== undefined) {
    // An unhealthy pod may be deleted, but only after unhealthy ones with lower ordinals.
    const isFirstBroken = surplus.findLast((pod) => !isUp(situation, pod)) === last
    const mayGo = !isBeingDeleted(last) && (isUp(situation, last) || isFirstBroken)
    return mayGo ? { create: [], remove: [last] } : NOTHING
  }
  return { create: [], remove: outdated(situation, wanted).slice(0, BURST) }
}

/** Returns the pods beyond the wanted ordinals, highest first. */
function surplusOf({ set, pods }: Situation, wanted: Ordinals): Pod[] {
  return lastFirst(
    set,
    pods.filter((pod) => !isWithin(wanted, ordinalOf(pod, set))),
  )
}

/** Returns the pods with wanted ordinals. */
function wantedPods({ set, pods }: Situation, wanted: Ordinals): Pod[] {
  return pods.filter((pod) => isWithin(wanted, ordinalOf(pod, set)))
}

function lastFirst(set: StatefulSet, pods: Pod[]): Pod[] {
  return pods.sort((a, b) => (ordinalOf(b, set) ?? 0) - (ordinalOf(a, set) ?? 0))
}

/** Returns the outdated pods to replace now, highest ordinal first; unhealthy ones do not count against the limit. */
function outdated(situation: Situation, wanted: Ordinals): Pod[] {
  const { set, updateRevision } = situation
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return []
  const count = wanted.end - wanted.first
  const most = Math.max(1, share(rollingUpdate?.maxUnavailable ?? 1, count, 'up'))
  const there = wantedPods(situation, wanted)
  let budget = most - (count - there.filter((pod) => isUp(situation, pod)).length)
  const first = wanted.first + (rollingUpdate?.partition ?? 0)
  const chosen: Pod[] = []
  for (const pod of lastFirst(set, there)) {
    if ((ordinalOf(pod, set) ?? 0) < first) break
    if (isBeingDeleted(pod) || revisionOf(pod) === updateRevision) continue
    if (isUp(situation, pod)) {
      if (budget <= 0) break
      budget--
    }
    chosen.push(pod)
  }
  return chosen
}

function isUp({ set, now }: Situation, pod: Pod): boolean {
  if (isBeingDeleted(pod) || pod.status?.phase !== 'Running') return false
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
}
