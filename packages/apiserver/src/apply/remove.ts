import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema, Schema } from '@orrery/kinds/tables'
import { setOwn } from '@orrery/kinds/values'
import { fieldElement, itemElement } from './element.js'
import { type FieldSet, isMember } from './field-set.js'
import { asList, fieldSchema, shapeOf } from './shape.js'

/**
 * Returns a copy of an object without the fields of a set and everything below. The rest is shared. An emptied object
 * or list stays; the set contains it if it should be removed too.
 */
export function removeFields(object: JsonObject, set: FieldSet, schema: Schema): JsonObject {
  const kept: JsonObject = {}
  let changed = false
  for (const name of Object.keys(object)) {
    const value = object[name] as JsonValue
    const node = set[fieldElement(name)]
    const rest = node === undefined ? value : leftOf(value, node, fieldSchema(schema, name))
    changed ||= rest !== value
    if (rest !== undefined) setOwn(kept, name, rest)
  }
  return changed ? kept : object
}

function removeItems(items: JsonValue[], set: FieldSet, list: ListSchema): JsonValue[] {
  const kept: JsonValue[] = []
  let changed = false
  for (const item of items) {
    const node = set[itemElement(item, list)]
    const rest = node === undefined ? item : leftOf(item, node, list.items)
    changed ||= rest !== item
    if (rest !== undefined) kept.push(rest)
  }
  return changed ? kept : items
}

/** Returns a value without the fields of its node; undefined if the value itself is removed. */
function leftOf(value: JsonValue, node: FieldSet, schema: Schema): JsonValue | undefined {
  if (isMember(node)) return undefined
  if (value === null) return value
  switch (shapeOf(value, schema)) {
    case 'fields':
      return removeFields(value as JsonObject, node, schema)
    case 'items':
      return removeItems(value as JsonValue[], node, asList(schema))
    case 'whole':
      return value
  }
}
