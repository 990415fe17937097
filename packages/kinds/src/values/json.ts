import type { JsonObject, JsonValue } from '../object.js'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value for a message: a string itself, or JSON. `String` fails on an object with its own `toString`. */
export function displayed(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** A member of the object itself: `constructor` of an empty object is undefined. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a member whose name is data: `__proto__` is a name like any other. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    object[key] = value
  }
}

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
  for (const key of Object.keys(value)) setOwn(copy, key, clone(value[key] as JsonValue))
  return copy
}

const NOTHING: ReadonlySet<string> = new Set()

/** Deep equality of JSON values. Shared sub-trees are not walked; an absent member equals an undefined one. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (!jsonEqual(a[index], b[index])) return false
    return true
  }
  if (Array.isArray(b)) return false
  return membersEqual(a as Record<string, unknown>, b as Record<string, unknown>, NOTHING)
}

/** Like `jsonEqual` for two objects, without some of their members. */
export function membersEqual(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  except: ReadonlySet<string>,
): boolean {
  for (const key of Object.keys(a)) {
    if (!except.has(key) && !jsonEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false
  }
  for (const key of Object.keys(b)) {
    if (!except.has(key) && b[key] !== undefined && (!Object.hasOwn(a, key) || a[key] === undefined)) return false
  }
  return true
}

/** JSON with sorted keys: equal text for equal values. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`)
  return `{${fields.join(',')}}`
}

/** Adds all items of a list to another. `push(...items)` passes them on the stack, which overflows for long lists. */
export function addAll<T>(target: T[], items: Iterable<T>): void {
  for (const item of items) target.push(item)
}
