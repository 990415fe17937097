import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/** Metadata that the API server maintains and no manifest sets. */
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'selfLink',
])

/** Repeats the whole object, with the values of a Secret. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const MASK = '***'

/** An object before and after a change, without the fields that only the server writes. */
export interface Comparison {
  readonly before: JsonObject | undefined
  readonly after: JsonObject
}

/** Prepares two states of an object for a diff. Values of a Secret are masked so that a diff shows only which of them change. */
export function comparable(before: object | undefined, after: object): Comparison {
  const comparison = { before: before && relevant(before), after: relevant(after) }
  if (!isSecret(comparison.after)) return comparison
  return {
    before: comparison.before && masked(comparison.before, comparison.after, ' (before)'),
    after: masked(comparison.after, comparison.before, ' (after)'),
  }
}

/** Whether an object is a Secret of the core group. */
export function isSecret(object: { readonly apiVersion?: unknown; readonly kind?: unknown }): boolean {
  return object.kind === 'Secret' && object.apiVersion === 'v1'
}

function relevant(object: object): JsonObject {
  const { metadata = {}, status: _, ...rest } = object as JsonObject
  const { annotations = {}, ...meta } = Object.fromEntries(
    Object.entries(metadata as JsonObject).filter(([key]) => !SERVER_METADATA.has(key)),
  )
  const kept = Object.entries(annotations as JsonObject).filter(([key]) => key !== LAST_APPLIED)
  return { ...rest, metadata: { ...meta, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) } }
}

function masked(secret: JsonObject, other: JsonObject | undefined, mark: string): JsonObject {
  const maskedField = (field: 'data' | 'stringData') => {
    const values = secret[field]
    if (!isObject(values)) return {}
    const others = other?.[field]
    const isSame = (key: string, value: unknown) =>
      !isObject(others) || !Object.hasOwn(others, key) || others[key] === value
    const entries = Object.entries(values).map(([key, value]) => [key, isSame(key, value) ? MASK : MASK + mark])
    return { [field]: Object.fromEntries(entries) as JsonObject }
  }
  return { ...secret, ...maskedField('data'), ...maskedField('stringData') }
}
