import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/** A value that may be absent. */
export type Value = JsonValue | undefined

const NO_ITEMS: readonly never[] = []

/** Returns the struct of a field, if present. */
export function childOf(parent: Value, name: string): JsonObject | undefined {
  if (!isObject(parent)) return undefined
  const child = parent[name]
  return isObject(child) ? child : undefined
}

/** Returns the items of a list; empty if absent. */
export function listOf(parent: Value, name: string): readonly JsonValue[] {
  if (!isObject(parent)) return NO_ITEMS
  const list = parent[name]
  return Array.isArray(list) ? list : NO_ITEMS
}

/** Returns the structs of a list; empty if absent. */
export function structsOf(parent: Value, name: string): readonly JsonObject[] {
  return listOf(parent, name) as readonly JsonObject[]
}

/** Returns the strings of a list; empty if absent. */
export function textsOf(parent: Value, name: string): readonly string[] {
  return listOf(parent, name) as readonly string[]
}

/** Returns a string field; empty if absent, as in Go. */
export function textOf(parent: Value, name: string): string {
  if (!isObject(parent)) return ''
  const value = parent[name]
  return typeof value === 'string' ? value : ''
}

/** Returns a number field; zero if absent, as in Go. */
export function numberOf(parent: Value, name: string): number {
  if (!isObject(parent)) return 0
  const value = parent[name]
  return typeof value === 'number' ? value : 0
}

/** Returns a number field; undefined if absent. */
export function optionalNumber(parent: Value, name: string): number | undefined {
  if (!isObject(parent)) return undefined
  const value = parent[name]
  return typeof value === 'number' ? value : undefined
}

/** Returns a boolean field; false if absent, as in Go. */
export function flagOf(parent: Value, name: string): boolean {
  return isObject(parent) && parent[name] === true
}

/** Returns the entries of a map sorted by key, so that the order of messages is stable. */
export function entriesOf(parent: Value, name: string): readonly (readonly [string, JsonValue])[] {
  const map = childOf(parent, name)
  if (map === undefined) return NO_ITEMS
  return Object.keys(map)
    .sort()
    .map((key) => [key, map[key] as JsonValue])
}

/** Returns an entry of a map with arbitrary keys. */
export function entryOf(map: Value, key: string): Value {
  return isObject(map) && Object.hasOwn(map, key) ? map[key] : undefined
}

export function has(parent: Value, name: string): boolean {
  return isObject(parent) && parent[name] !== undefined && parent[name] !== null
}

/** Returns whether a value equals an absent field. */
export function isUnset(value: Value): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  if (typeof value !== 'object') return false
  for (const _key in value) return false
  return true
}

/**
 * Compares values semantically (`apiequality.Semantic.DeepEqual`): an absent field equals the zero value of its type.
 */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true
  if (isUnset(a) || isUnset(b)) return isUnset(a) && isUnset(b)
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  for (const key of Object.keys(a)) if (!sameValue(a[key], entryOf(b, key))) return false
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && !isUnset(b[key])) return false
  return true
}

/** Returns the indexes of items that equal an earlier one. */
export function repeats(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>()
  const repeated = new Set<number>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeated.add(index)
    seen.add(value)
  }
  return repeated
}
