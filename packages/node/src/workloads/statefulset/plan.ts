import type { Pod, StatefulSet } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { share } from '../int-or-percent.js'
import { isAvailable, isFinished } from '../podstate.js'
import { ordinalOf, ordinalsOf, revisionOf } from './identity.js'

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
 * descending order. With `OrderedReady`, one step is taken at a time, and only if every earlier pod is available.
 */
export function planOf(situation: Situation): Plan {
  const { set } = situation
  const wanted = ordinalsOf(set)
  const byOrdinal = new Map(situation.pods.map((pod) => [ordinalOf(pod, set), pod]))
  const surplus = surplusOf(situation, new Set(wanted))
  if (set.spec.podManagementPolicy !== 'Parallel') return orderedPlan(situation, wanted, byOrdinal, surplus)
  const there = wanted.flatMap((ordinal) => byOrdinal.get(ordinal) ?? [])
  const ended = there.filter((pod) => isFinished(pod) && !isBeingDeleted(pod))
  return {
    create: wanted.filter((ordinal) => !byOrdinal.has(ordinal)),
    remove: [...ended, ...surplus.filter((pod) => !isBeingDeleted(pod)), ...outdated(situation, wanted, byOrdinal)],
  }
}

const NOTHING: Plan = { create: [], remove: [] }

type ByOrdinal = ReadonlyMap<number | undefined, Pod>

function orderedPlan(situation: Situation, wanted: readonly number[], byOrdinal: ByOrdinal, surplus: Pod[]): Plan {
  for (const ordinal of wanted) {
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
  return { create: [], remove: outdated(situation, wanted, byOrdinal) }
}

/** Returns the pods beyond the wanted ordinals, highest first. */
function surplusOf({ set, pods }: Situation, wanted: ReadonlySet<number>): Pod[] {
  return pods
    .filter((pod) => !wanted.has(ordinalOf(pod, set) ?? -1))
    .sort((a, b) => (ordinalOf(b, set) ?? 0) - (ordinalOf(a, set) ?? 0))
}

/** Returns the outdated pods to replace now, highest ordinal first; unhealthy ones do not count against the limit. */
function outdated(situation: Situation, wanted: readonly number[], byOrdinal: ByOrdinal): Pod[] {
  const { set, updateRevision } = situation
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return []
  const most = Math.max(1, share(rollingUpdate?.maxUnavailable ?? 1, wanted.length, 'up'))
  let budget = most - wanted.filter((ordinal) => !isUp(situation, byOrdinal.get(ordinal))).length
  const chosen: Pod[] = []
  for (const ordinal of wanted.slice(rollingUpdate?.partition ?? 0).reverse()) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined || isBeingDeleted(pod) || revisionOf(pod) === updateRevision) continue
    if (isUp(situation, pod)) {
      if (budget <= 0) break
      budget--
    }
    chosen.push(pod)
  }
  return chosen
}

function isUp({ set, now }: Situation, pod: Pod | undefined): boolean {
  if (pod === undefined || isBeingDeleted(pod) || pod.status?.phase !== 'Running') return false
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
}
