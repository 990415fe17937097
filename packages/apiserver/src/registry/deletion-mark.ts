import type { KubeObject, ObjectMeta } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import type { DeleteOptions } from './delete.js'
import type { KindLogic } from './kind-logic.js'

export const ORPHAN_FINALIZER = 'orphan'
export const FOREGROUND_FINALIZER = 'foregroundDeletion'

const DEFAULT_POD_GRACE_SECONDS = 30
/** The maximum grace period: a longer one would end at a time that cannot be represented. */
const MAX_GRACE_SECONDS = 2 ** 31 - 1

/** The effect of a delete on an object. */
export interface DeletionMark {
  /** The new metadata; undefined if it does not change. */
  readonly metadata: ObjectMeta | undefined
  /** Whether something keeps the object: finalizers, its kind, or a node that must stop it first. */
  readonly isHeld: boolean
}

/**
 * Decides the effect of a delete (`rest.BeforeDelete`).
 *
 * | the object                             | is marked                                  | is removed          |
 * | -------------------------------------- | ------------------------------------------ | ------------------- |
 * | is in its grace period                 | only if the new one is shorter             | at its end          |
 * | has a grace period (pods)              | with its end                               | at its end          |
 * | is kept by its kind (namespaces, CRDs) | with the time of the request               | when it is released |
 * | has finalizers                         | with the time of the request, and no grace | with the last one   |
 * | any other                              | not at all                                 | immediately         |
 */
export function markDeletion(
  object: KubeObject,
  options: Pick<DeleteOptions, 'gracePeriodSeconds' | 'propagationPolicy'>,
  logic: Pick<KindLogic, 'traits' | 'holdsDeletion'>,
  now: Date,
): DeletionMark {
  const old = object.metadata
  const isMarked = old.deletionTimestamp !== undefined
  const current = old.deletionGracePeriodSeconds ?? 0
  const { gracefulDeletion, orphansByDefault } = logic.traits
  const isWaiting = gracefulDeletion && isMarked && current > 0
  const asked = withinBounds(options.gracePeriodSeconds)
  if (isWaiting && (asked === undefined || asked >= current)) return { metadata: undefined, isHeld: true }

  const finalizers = finalizersAfterDelete(old.finalizers ?? [], options.propagationPolicy, orphansByDefault)
  const metadata: ObjectMeta = { ...old }
  if (finalizers.length === 0) delete metadata.finalizers
  else metadata.finalizers = finalizers
  if (isWaiting) shorten(metadata, asked ?? 0, now)
  else if (gracefulDeletion && !isMarked) mark(metadata, gracePeriod(object, asked), now)
  else if (logic.holdsDeletion(object)) metadata.deletionTimestamp ??= formatTime(now)
  else if (finalizers.length > 0) mark(metadata, 0, now)
  const isHeld = finalizers.length > 0 || logic.holdsDeletion(object) || (metadata.deletionGracePeriodSeconds ?? 0) > 0
  return { metadata: sameMark(metadata, old) ? undefined : metadata, isHeld }
}

function withinBounds(seconds: number | undefined): number | undefined {
  if (seconds === undefined) return undefined
  return seconds < 0 ? 1 : Math.min(seconds, MAX_GRACE_SECONDS)
}

function mark(metadata: ObjectMeta, grace: number, now: Date): void {
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = formatTime(new Date(now.getTime() + grace * 1000))
    // Observers of generations must notice the deletion.
    if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1
  }
  metadata.deletionGracePeriodSeconds = grace
}

function shorten(metadata: ObjectMeta, grace: number, now: Date): void {
  const start = Date.parse(metadata.deletionTimestamp ?? '') - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
  metadata.deletionTimestamp = formatTime(new Date(Math.max(start + grace * 1000, now.getTime())))
  metadata.deletionGracePeriodSeconds = grace
}

/** Returns the time that a node has to stop a pod; 0 for a pod without a node or a finished one. */
function gracePeriod(object: KubeObject, asked: number | undefined): number {
  const spec = (object.spec ?? {}) as { nodeName?: string; terminationGracePeriodSeconds?: number }
  const phase = (object.status as { phase?: string } | undefined)?.phase
  if ((spec.nodeName ?? '') === '' || phase === 'Failed' || phase === 'Succeeded') return 0
  return asked ?? withinBounds(spec.terminationGracePeriodSeconds) ?? DEFAULT_POD_GRACE_SECONDS
}

/** Returns the finalizers of an object after a delete with a propagation policy. */
function finalizersAfterDelete(
  current: readonly string[],
  policy: DeleteOptions['propagationPolicy'],
  orphansByDefault: boolean,
): string[] {
  const others = current.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER)
  switch (policy) {
    case 'Orphan':
      return current.includes(ORPHAN_FINALIZER) ? without(current, FOREGROUND_FINALIZER) : [...others, ORPHAN_FINALIZER]
    case 'Foreground':
      return current.includes(FOREGROUND_FINALIZER)
        ? without(current, ORPHAN_FINALIZER)
        : [...others, FOREGROUND_FINALIZER]
    case 'Background':
      return others
    default:
      if (current.length > others.length) return [...current]
      return orphansByDefault ? [...others, ORPHAN_FINALIZER] : others
  }
}

function without(finalizers: readonly string[], name: string): string[] {
  return finalizers.filter((other) => other !== name)
}

function sameMark(a: ObjectMeta, b: ObjectMeta): boolean {
  const [left, right] = [a.finalizers ?? [], b.finalizers ?? []]
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    left.length === right.length &&
    left.every((name, index) => name === right[index])
  )
}
