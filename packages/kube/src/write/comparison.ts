import type { ApiObject, Draft, JsonObject, ObjectMeta } from '@orrery/kinds'
import { getOwn, isObject } from '@orrery/kinds/values'
import { semanticEqual } from './equal.js'

/**
 * The result of comparing an object with its desired state: `more` if it has all of that, and other fields beside
 * them.
 */
export type Comparison = 'equal' | 'more' | 'different'

/**
 * Compares an object with its desired state. Only the members of `wanted` count. Labels, annotations, finalizers and
 * owner references are shared with others, so that more of them is no difference.
 */
export function comparison(current: ApiObject, wanted: Pick<Draft<ApiObject>, 'metadata'>): Comparison {
  const { apiVersion: _, kind: __, metadata, ...rest } = wanted as Draft<ApiObject>
  if (!hasMetadata(current.metadata, metadata)) return 'different'
  const members = Object.keys(rest).map((key) => ({
    is: getOwn(current as unknown as JsonObject, key),
    should: getOwn(rest as JsonObject, key),
  }))
  if (members.every(({ is, should }) => semanticEqual(is, should))) return 'equal'
  return members.every(({ is, should }) => contains(is, should)) ? 'more' : 'different'
}

function hasMetadata(current: ObjectMeta, wanted: ObjectMeta): boolean {
  const { finalizers = [], ownerReferences = [] } = current
  return (
    contains(current.labels ?? {}, wanted.labels ?? {}) &&
    contains(current.annotations ?? {}, wanted.annotations ?? {}) &&
    (wanted.finalizers ?? []).every((finalizer) => finalizers.includes(finalizer)) &&
    (wanted.ownerReferences ?? []).every((owner) => ownerReferences.some((known) => semanticEqual(known, owner)))
  )
}

/**
 * Whether a value contains everything that is wanted. Lists must have the same items in the same order, each with
 * everything that is wanted of it.
 */
function contains(is: unknown, should: unknown): boolean {
  if (Array.isArray(is) && Array.isArray(should)) {
    return is.length === should.length && should.every((item, index) => contains(is[index], item))
  }
  if (!isObject(is) || !isObject(should)) return semanticEqual(is, should)
  return Object.keys(should).every((key) => contains(getOwn(is, key), should[key]))
}
