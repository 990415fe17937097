import type { JsonObject, JsonValue } from '@orrery/kube'

/** A deep copy of a JSON value. */
export function cloneJson<T>(value: T): T {
  return clone(value as JsonValue) as T
}

function clone(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const copy: JsonValue[] = new Array(value.length)
    for (let index = 0; index < value.length; index++) copy[index] = clone(value[index] as JsonValue)
    return copy
  }
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setKey(copy, key, clone(value[key] as JsonValue))
  return copy
}

/** Sets a member whose name is data: `__proto__` becomes a member like any other. */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
