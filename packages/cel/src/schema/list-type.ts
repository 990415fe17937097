import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  canonicalJson,
  childPath,
  collectFieldErrors,
  type FieldError,
  fieldDuplicate,
  fieldInvalid,
  getOwn,
  indexPath,
  isObject,
  keyPath,
  setOwn,
} from '@orrery/kinds/values'
import type { SchemaNode } from './schema-tree.js'

/** Duplicate items in lists of type set, or of type map by their keys. */
export function uniquenessErrors(value: JsonValue, node: SchemaNode, path: string): FieldError[] {
  return collectFieldErrors((errors) => checkValue(value, node, path, errors))
}

function checkValue(value: JsonValue, node: SchemaNode, path: string, errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null || !node.uniqueBelow) return
  if (Array.isArray(value)) {
    if (node.listType === 'set') checkSet(value, path, errors)
    else if (node.listType === 'map') checkMap(value, node.listKeys, path, errors)
    const items = node.items
    if (!items?.uniqueBelow) return
    for (const [index, item] of value.entries()) checkValue(item, items, indexPath(path, index), errors)
    return
  }
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key)
    if (property) checkValue(value[key] as JsonValue, property, childPath(path, key), errors)
    else if (node.additional) checkValue(value[key] as JsonValue, node.additional, keyPath(path, key), errors)
  }
}

function checkSet(items: readonly JsonValue[], path: string, errors: FieldError[]): void {
  for (const index of duplicates(items.map(canonicalJson))) {
    errors.push(fieldDuplicate(indexPath(path, index), items[index]))
  }
}

function checkMap(items: readonly JsonValue[], keys: readonly string[], path: string, errors: FieldError[]): void {
  for (const [index, item] of items.entries()) {
    if (item === null || isObject(item)) continue
    errors.push(fieldInvalid(indexPath(path, index), item, 'must be an object for an array of list-type map'))
    return
  }
  const found = items.map((item) => keyOf(item as JsonObject | null, keys))
  for (const index of duplicates(found.map(canonicalJson))) {
    errors.push(fieldDuplicate(indexPath(path, index), found[index]))
  }
}

function keyOf(item: JsonObject | null, names: readonly string[]): JsonObject {
  const key: JsonObject = {}
  if (item === null) return key
  for (const name of [...names].sort()) {
    const value = getOwn(item, name)
    if (value !== undefined) setOwn(key, name, value)
  }
  return key
}

/** The positions where a text occurs for the second time; later ones have been reported by then. */
function duplicates(texts: readonly string[]): number[] {
  const times = new Map<string, number>()
  const second: number[] = []
  for (const [index, text] of texts.entries()) {
    const count = (times.get(text) ?? 0) + 1
    times.set(text, count)
    if (count === 2) second.push(index)
  }
  return second
}
