import type { JsonObject, JsonValue } from '@orrery/kinds'
import { getOwn, isObject, jsonEqual, setOwn } from '@orrery/kinds/values'

/**
 * The JSON merge patch (RFC 7386) from `before` to `after`, with only the differences; undefined if there are none.
 * Lists are replaced as a whole. A merge patch cannot set null, so null counts as absent.
 */
export function mergePatchOf(before: object, after: object): JsonObject | undefined {
  const had = before as JsonObject
  const wanted = after as JsonObject
  let patch: JsonObject | undefined
  const change = (key: string, value: JsonValue) => {
    patch ??= {}
    setOwn(patch, key, value)
  }
  for (const key of Object.keys(wanted)) {
    const value = wanted[key]
    if (value === undefined || value === null) continue
    const old = getOwn(had, key)
    if (isObject(value) && isObject(old)) {
      const inner = mergePatchOf(old, value)
      if (inner !== undefined) change(key, inner)
    } else if (!jsonEqual(old, value)) {
      change(key, value)
    }
  }
  for (const key of Object.keys(had)) {
    if ((had[key] ?? null) !== null && (getOwn(wanted, key) ?? null) === null) change(key, null)
  }
  return patch
}
