import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema, Schema } from '@orrery/kinds/tables'
import { type Element, fieldElement, itemElement } from './element.js'
import { EMPTY, type FieldSet, isMember, LEAF, makeNode, SELF } from './field-set.js'
import { asList, fieldSchema, isDeclared, shapeOf } from './shape.js'

/**
 * Returns the fields that a manager owns who adds a value: every leaf, and every object and list on the way. Throws
 * `UnkeyedItem` if a list item has no key.
 */
export function addedNode(value: JsonValue, schema: Schema): FieldSet {
  switch (shapeOf(value, schema)) {
    case 'whole':
      return LEAF
    case 'items':
      return value === null ? LEAF : addedItems(value as JsonValue[], asList(schema))
    case 'fields':
      return value === null ? LEAF : addedFields(value as JsonObject, schema)
  }
}

function addedFields(value: JsonObject, schema: Schema): FieldSet {
  const names = sortedKeys(value)
  if (names.length === 0) return LEAF
  const node: { [element: Element]: FieldSet } = { [SELF]: LEAF }
  for (const name of names) node[fieldElement(name)] = addedNode(value[name] as JsonValue, fieldSchema(schema, name))
  return node
}

function addedItems(items: JsonValue[], list: ListSchema): FieldSet {
  const children = new Map<Element, FieldSet>()
  for (const item of items) {
    const element = itemElement(item, list)
    // For items with duplicate keys only the key can be owned, since they cannot be distinguished.
    children.set(element, children.has(element) ? LEAF : addedNode(item, list.items))
  }
  return makeNode(true, children) ?? LEAF
}

/** Most objects are already sorted, so check before sorting. */
function sortedKeys(value: JsonObject): string[] {
  const names = Object.keys(value)
  for (let i = 1; i < names.length; i++) {
    if ((names[i] as string) < (names[i - 1] as string)) return names.sort()
  }
  return names
}

/**
 * Returns the fields that an applied configuration owns. Unlike `addedNode` it omits declared objects and lists that
 * only contain other fields: applying `spec.replicas` does not own `spec`.
 */
export function fieldSetOf(value: JsonObject, schema: Schema): FieldSet {
  return appliedFields(value, schema) ?? EMPTY
}

function appliedNode(value: JsonValue, schema: Schema): FieldSet | undefined {
  switch (shapeOf(value, schema)) {
    case 'whole':
      return LEAF
    case 'items':
      return value === null ? undefined : appliedItems(value as JsonValue[], asList(schema))
    case 'fields':
      return value === null ? undefined : appliedFields(value as JsonObject, schema)
  }
}

function appliedFields(value: JsonObject, schema: Schema): FieldSet | undefined {
  const children = new Map<Element, FieldSet>()
  for (const name of Object.keys(value)) {
    const child = value[name] as JsonValue
    const node = appliedNode(child, fieldSchema(schema, name))
    const claimed = isNothing(child) || !isDeclared(schema, name) ? asMember(node) : node
    if (claimed !== undefined) children.set(fieldElement(name), claimed)
  }
  return makeNode(false, children)
}

function appliedItems(items: JsonValue[], list: ListSchema): FieldSet | undefined {
  const children = new Map<Element, FieldSet>()
  for (const item of items) {
    const element = itemElement(item, list)
    children.set(element, children.has(element) ? LEAF : asMember(appliedNode(item, list.items)))
  }
  return makeNode(false, children)
}

function isNothing(value: JsonValue): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return false
  for (const _ in value) return false
  return true
}

function asMember(node: FieldSet | undefined): FieldSet {
  if (node === undefined) return LEAF
  return isMember(node) ? node : { [SELF]: LEAF, ...node }
}
