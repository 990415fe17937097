import type { JsonObject, JsonValue } from '@orrery/kinds'
import { getOwn, isObject, jsonEqual, setOwn } from '@orrery/kinds/values'

/**
 * The part of an object in a FieldsV1 field set (KEP-555): `f:` members, `k:` list items by their keys, `v:` list
 * items by their value; a set without members stands for the whole value. Needs no schema, since the set
 * distinguishes lists from maps.
 */
export function ownedPart(value: JsonValue | undefined, fields: JsonObject): JsonValue | undefined {
  if (isLeaf(fields)) return value
  if (Array.isArray(value)) return ownedItems(value, fields)
  if (!isObject(value)) return undefined
  const part: JsonObject = {}
  for (const name of Object.keys(fields)) {
    if (!name.startsWith('f:')) continue
    const key = name.slice(2)
    const member = ownedPart(getOwn(value, key), fields[name] as JsonObject)
    if (member !== undefined) setOwn(part, key, member)
  }
  return part
}

function ownedItems(list: readonly JsonValue[], fields: JsonObject): JsonValue[] {
  const selectors = Object.keys(fields).flatMap((name) => {
    const matches = itemSelector(name)
    return matches === undefined ? [] : [{ matches, fields: fields[name] as JsonObject }]
  })
  return list.flatMap((item) => {
    const selector = selectors.find(({ matches }) => matches(item))
    const part = selector && ownedPart(item, selector.fields)
    return part === undefined ? [] : [part]
  })
}

function itemSelector(name: string): ((item: JsonValue) => boolean) | undefined {
  if (name.startsWith('v:')) {
    const value = JSON.parse(name.slice(2)) as JsonValue
    return (item) => jsonEqual(item, value)
  }
  if (!name.startsWith('k:')) return undefined
  const keys = Object.entries(JSON.parse(name.slice(2)) as JsonObject)
  return (item) => isObject(item) && keys.every(([key, value]) => jsonEqual(getOwn(item, key), value))
}

function isLeaf(fields: JsonObject): boolean {
  for (const _ in fields) return false
  return true
}
