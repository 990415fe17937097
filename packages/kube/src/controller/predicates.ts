import type { ApiObject, Condition } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { Change } from '../informer/types.js'

/** Whether a change counts. */
export type Predicate<T> = (change: Change<T>) => boolean

/** The `spec` changed, not only the `status`. A deletionTimestamp counts. */
export const generationChanged = update(
  (before, after) =>
    before.metadata.generation !== after.metadata.generation ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp,
)

export const labelsChanged = update((before, after) => !sameFields(before.metadata.labels, after.metadata.labels))

export const annotationsChanged = update(
  (before, after) => !sameFields(before.metadata.annotations, after.metadata.annotations),
)

export const finalizersChanged = update(
  (before, after) => !sameItems(before.metadata.finalizers, after.metadata.finalizers),
)

/** The status of one of these conditions changed. */
export function conditionChanged(...types: readonly string[]): Predicate<WithConditions> {
  return ({ before, after }) =>
    before === undefined ||
    after === undefined ||
    types.some(
      (type) =>
        findCondition(before.status?.conditions, type)?.status !==
        findCondition(after.status?.conditions, type)?.status,
    )
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** Any of several predicates. */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change))
}

/** Only updates can be ignored: creations and deletions always count. */
function update(matters: (before: ApiObject, after: ApiObject) => boolean): Predicate<ApiObject> {
  return (change) => change.type !== 'updated' || matters(change.before, change.after)
}

function sameFields(one: Readonly<Record<string, string>> = {}, other: Readonly<Record<string, string>> = {}): boolean {
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && one[key] === other[key])
  )
}

function sameItems(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
