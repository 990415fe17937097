import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'

/** What Go's JSON decoder calls the type of a value, as its error messages show it. */
export function jsonTypeName(value: JsonValue): 'null' | 'array' | 'object' | 'string' | 'number' | 'bool' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'boolean' ? 'bool' : (type as 'object' | 'string' | 'number')
}

/** A copy without members that are null, at any depth. Nulls that are list items stay. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const key of Object.keys(value)) {
    const child = value[key] as JsonValue
    if (child !== null) setOwn(kept, key, withoutNulls(child))
  }
  return kept
}
