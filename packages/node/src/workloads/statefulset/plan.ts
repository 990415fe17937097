import type { Pod, StatefulSet } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { share } from '../int-or-percent.js'
import { isAvailable, isFinished } from '../podstate.js'
import { ordinalOf, ordinalsOf, revisionOf } from './identity.js'

/** What to do about a set's pods now. */
export interface Plan {
  readonly create: readonly number[]
  readonly remove: readonly Pod[]
}

export interface Situation {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  /** The name of the revision that pods are to have in the end. */
  readonly updateRevision: string
  readonly now: Date
}

/**
 * The next step. Missing pods are made first, then surplus ones removed, then outdated ones replaced from the last to the
 * first. A set that keeps order takes one such step at a time, and the next only when every pod before is available.
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
    // One that is broken may go, but not before the ones below it that are broken as well.
    const isFirstBroken = surplus.findLast((pod) => !isUp(situation, pod)) === last
    const mayGo = !isBeingDeleted(last) && (isUp(situation, last) || isFirstBroken)
    return mayGo ? { create: [], remove: [last] } : NOTHING
  }
  return { create: [], remove: outdated(situation, wanted, byOrdinal) }
}

/** Pods whose numbers the set no longer has, the last first. */
function surplusOf({ set, pods }: Situation, wanted: ReadonlySet<number>): Pod[] {
  return pods
    .filter((pod) => !wanted.has(ordinalOf(pod, set) ?? -1))
    .sort((a, b) => (ordinalOf(b, set) ?? 0) - (ordinalOf(a, set) ?? 0))
}

/** Outdated pods that may be replaced now, the last first: those that are not up cost nothing. */
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
