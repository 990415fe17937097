import type { DaemonSet, Node, Pod } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { share } from '../int-or-percent.js'
import { isActive, isAvailable, isFinished } from '../podstate.js'
import { HASH_LABEL, nodeOf, shouldRunOn } from './pod.js'

/** The minimum time before a failed daemon pod is replaced. */
const MIN_LIFE = 10_000

export interface Situation {
  readonly set: DaemonSet
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  /** The hash of the current template. */
  readonly hash: string
  readonly now: Date
}

/** The next actions for the pods of a DaemonSet. */
export interface Plan {
  /** Names of nodes. */
  readonly create: string[]
  readonly remove: Pod[]
  /** When a finished pod may be deleted. */
  readonly next: Date | undefined
}

export function planOf(situation: Situation): Plan {
  const { set, nodes } = situation
  const there = podsByNode(situation.pods)
  const create: string[] = []
  const remove: Pod[] = []
  const staying: Place[] = []
  let next = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    const { name } = node.metadata
    const pods = there.get(name) ?? []
    const { shouldRun, shouldContinueRunning } = shouldRunOn(node, set)
    if (!shouldContinueRunning) {
      remove.push(...pods.filter((pod) => !isBeingDeleted(pod)))
      continue
    }
    for (const pod of pods.filter((one) => isFinished(one) && !isBeingDeleted(one))) {
      const due = Date.parse(pod.metadata.creationTimestamp) + MIN_LIFE
      if (due <= situation.now.getTime()) remove.push(pod)
      else next = Math.min(next, due)
    }
    const place = placeOf(situation, name, pods.filter(isActive), shouldRun)
    remove.push(...place.excess)
    staying.push(place)
    const isFree = surgeOf(set, 1) > 0 ? !pods.some(isActive) : pods.length === 0
    if (shouldRun && isFree) create.push(name)
  }
  if (set.spec.updateStrategy?.type !== 'OnDelete') {
    const step = surgeOf(set, 1) > 0 ? surge(situation, staying) : replace(situation, staying)
    create.push(...step.create)
    remove.push(...step.remove)
  }
  return { create, remove, next: Number.isFinite(next) ? new Date(next) : undefined }
}

export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const found = new Map<string, Pod[]>()
  for (const pod of pods) {
    const node = nodeOf(pod)
    if (node === undefined) continue
    const others = found.get(node)
    if (others === undefined) found.set(node, [pod])
    else others.push(pod)
  }
  return found
}

/** The pods of one node: one of the current template and one of an earlier template. */
interface Place {
  readonly node: string
  readonly shouldRun: boolean
  readonly updated: Pod | undefined
  readonly outdated: Pod | undefined
  /** Pods beyond those two. */
  readonly excess: Pod[]
}

function placeOf({ set, hash }: Situation, node: string, active: readonly Pod[], shouldRun: boolean): Place {
  const [first, ...others] = active.toSorted(oldestFirst)
  const isUpdated = (pod: Pod | undefined) => pod?.metadata.labels?.[HASH_LABEL] === hash
  if (surgeOf(set, 1) === 0) {
    const kept = isUpdated(first) ? { updated: first, outdated: undefined } : { updated: undefined, outdated: first }
    return { node, shouldRun, ...kept, excess: others }
  }
  const updated = active.toSorted(oldestFirst).find(isUpdated)
  const outdated = active.toSorted(oldestFirst).find((pod) => !isUpdated(pod))
  return { node, shouldRun, updated, outdated, excess: active.filter((pod) => pod !== updated && pod !== outdated) }
}

function oldestFirst(a: Pod, b: Pod): number {
  return Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp)
}

type Step = Pick<Plan, 'create' | 'remove'>

/** Returns the outdated pods to delete now; unavailable ones do not count against `maxUnavailable`. */
function replace(situation: Situation, places: readonly Place[]): Step {
  const wanted = places.filter(({ shouldRun }) => shouldRun)
  const most = unavailableOf(situation.set, wanted.length)
  const isUp = (pod: Pod | undefined) => pod !== undefined && isPodAvailable(situation, pod)
  let budget = most - wanted.filter(({ updated, outdated }) => !isUp(updated ?? outdated)).length
  const remove: Pod[] = []
  for (const { outdated } of places) {
    if (outdated === undefined) continue
    if (isUp(outdated) && budget-- <= 0) continue
    remove.push(outdated)
  }
  return { create: [], remove }
}

/** Returns the nodes that get a second pod now, and the outdated pods whose replacements are available. */
function surge(situation: Situation, places: readonly Place[]): Step {
  const create: string[] = []
  const remove: Pod[] = []
  let room = surgeOf(situation.set, places.filter(({ shouldRun }) => shouldRun).length)
  const waiting: string[] = []
  for (const { node, shouldRun, updated, outdated } of places) {
    if (outdated === undefined) continue
    if (updated !== undefined) {
      if (isPodAvailable(situation, updated)) remove.push(outdated)
      else room--
    } else if (shouldRun) {
      if (isPodAvailable(situation, outdated)) waiting.push(node)
      else create.push(node)
    }
  }
  create.push(...waiting.slice(0, Math.max(0, room)))
  return { create, remove }
}

function isPodAvailable({ set, now }: Situation, pod: Pod): boolean {
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
}

function surgeOf({ spec: { updateStrategy } }: DaemonSet, nodes: number): number {
  return updateStrategy?.type === 'OnDelete' ? 0 : share(updateStrategy?.rollingUpdate?.maxSurge, nodes, 'up')
}

function unavailableOf({ spec: { updateStrategy } }: DaemonSet, nodes: number): number {
  return share(updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, nodes, 'up')
}
