import type { JsonObject, JsonValue } from '@orrery/kube'
import { setOwn } from '../patch/json.js'
import type { ListSchema, Schema } from '../schema/schema.js'
import { fieldElement, itemElement } from './element.js'
import { type FieldSet, isEmpty, isMember } from './fieldset.js'
import { asList, fieldSchema, shapeOf } from './shape.js'

/** A copy of an object without the fields of a set and all that is below them. What stays is shared. */
export function removeFields(object: JsonObject, set: FieldSet, schema: Schema): JsonObject {
  return isEmpty(set) ? object : (removeFromObject(object, set, schema) ?? {})
}

/** Undefined when nothing is left of a value that had something in it. */
function removeFromValue(value: JsonValue, set: FieldSet, schema: Schema): JsonValue | undefined {
  if (value === null) return value
  switch (shapeOf(value, schema)) {
    case 'fields':
      return removeFromObject(value as JsonObject, set, schema)
    case 'items':
      return removeFromList(value as JsonValue[], set, asList(schema))
    case 'whole':
      return value
  }
}

function removeFromObject(object: JsonObject, set: FieldSet, schema: Schema): JsonObject | undefined {
  const names = Object.keys(object)
  const kept: JsonObject = {}
  let left = 0
  let changed = false
  for (const name of names) {
    const value = object[name] as JsonValue
    const node = set[fieldElement(name)]
    const rest = node === undefined ? value : leftOf(value, node, fieldSchema(schema, name))
    changed ||= rest !== value
    if (rest === undefined) continue
    setOwn(kept, name, rest)
    left++
  }
  if (!changed) return object
  return left === 0 ? undefined : kept
}

function removeFromList(items: JsonValue[], set: FieldSet, list: ListSchema): JsonValue[] | undefined {
  const kept: JsonValue[] = []
  let changed = false
  for (const item of items) {
    const node = set[itemElement(item, list)]
    const rest = node === undefined ? item : leftOf(item, node, list.items)
    changed ||= rest !== item
    if (rest !== undefined) kept.push(rest)
  }
  if (!changed) return items
  return kept.length === 0 ? undefined : kept
}

function leftOf(value: JsonValue, node: FieldSet, schema: Schema): JsonValue | undefined {
  return isMember(node) ? undefined : removeFromValue(value, node, schema)
}
