import { isObject, type JsonObject } from '@orrery/kube'

/** What a server keeps about an object, and no manifest asks for. */
const KEPT_BY_SERVER = ['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink']

/** Holds all of an object again, with the values of a Secret. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const HIDDEN = '***'

/** An object before and after a change, as people compare them. */
export interface Comparison {
  readonly before: JsonObject | undefined
  readonly after: JsonObject
}

/**
 * Two states of an object without what is of no interest to whoever compares them. Values of a Secret cannot be seen,
 * only which of them change.
 */
export function comparable(before: object | undefined, after: object): Comparison {
  const comparison = { before: before && relevant(before), after: relevant(after) }
  if (comparison.after.kind !== 'Secret' || comparison.after.apiVersion !== 'v1') return comparison
  return {
    before: comparison.before && hidden(comparison.before, comparison.after, ' (before)'),
    after: hidden(comparison.after, comparison.before, ' (after)'),
  }
}

function relevant(object: object): JsonObject {
  const { metadata = {}, status: _, ...rest } = object as JsonObject
  const { annotations = {}, ...meta } = Object.fromEntries(
    Object.entries(metadata as JsonObject).filter(([key]) => !KEPT_BY_SERVER.includes(key)),
  )
  const notes = Object.entries(annotations as JsonObject).filter(([key]) => key !== LAST_APPLIED)
  return { ...rest, metadata: { ...meta, ...(notes.length > 0 && { annotations: Object.fromEntries(notes) }) } }
}

function hidden(secret: JsonObject, other: JsonObject | undefined, mark: string): JsonObject {
  const masked = (field: 'data' | 'stringData') => {
    const values = secret[field]
    if (!isObject(values)) return {}
    const others = other?.[field]
    const isSame = (key: string, value: unknown) =>
      !isObject(others) || !Object.hasOwn(others, key) || others[key] === value
    const entries = Object.entries(values).map(([key, value]) => [key, isSame(key, value) ? HIDDEN : HIDDEN + mark])
    return { [field]: Object.fromEntries(entries) as JsonObject }
  }
  return { ...secret, ...masked('data'), ...masked('stringData') }
}
