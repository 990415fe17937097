import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema, Schema } from '@orrery/kinds/tables'
import { type Element, fieldElement, itemElement } from './element.js'
import { EMPTY, type FieldSet, isMember, LEAF, makeNode, SELF } from './field-set.js'
import { asList, fieldSchema, isDeclared, shapeOf } from './shape.js'

/**
 * The fields that whoever adds a value owns: every leaf, and every object and list on the way.
 * Throws `UnkeyedItem` when a list cannot be taken apart.
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
    // Of items that share a key only the key can be owned: there is no telling them apart.
    children.set(element, children.has(element) ? LEAF : addedNode(item, list.items))
  }
  return makeNode(true, children) ?? LEAF
}

/** Most objects arrive in order, so look before sorting. */
function sortedKeys(value: JsonObject): string[] {
  const names = Object.keys(value)
  for (let i = 1; i < names.length; i++) {
    if ((names[i] as string) < (names[i - 1] as string)) return names.sort()
  }
  return names
}

/**
 * The fields an applied configuration lays claim to. Unlike `addedNode` it leaves out objects and lists that merely
 * hold other fields, as long as the schema declares them: applying `spec.replicas` does not claim `spec`.
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
