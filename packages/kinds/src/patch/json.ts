import type { JsonObject, JsonValue } from '../object.js'
import { isObject, setOwn } from '../values/index.js'

/** Returns the type of a value as error messages of Go's JSON decoder name it. */
export function jsonTypeName(value: JsonValue): 'null' | 'array' | 'object' | 'string' | 'number' | 'bool' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'boolean' ? 'bool' : (type as 'object' | 'string' | 'number')
}

/** Returns a copy without null members at any depth. Null list items stay. */
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
