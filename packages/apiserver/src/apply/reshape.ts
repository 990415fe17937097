import type { Schema } from '@orrery/kinds/tables'
import type { Element } from './element.js'
import { type FieldSet, isEmpty, LEAF, makeNode, SELF } from './field-set.js'
import { ANY, fieldSchema, isDeclared } from './shape.js'

/**
 * Returns the set with every declared field that has members below. Sets omit those fields, but a removal needs them.
 */
export function withDeclaredFields(set: FieldSet, schema: Schema): FieldSet {
  const node: { [element: Element]: FieldSet } = {}
  for (const element in set) {
    const child = set[element] as FieldSet
    if (element === SELF || isEmpty(child)) {
      node[element] = child
      continue
    }
    const inner = withDeclaredFields(child, childSchema(schema, element))
    const declared = element.startsWith('f:') && isDeclared(schema, element.slice(2))
    node[element] = declared && inner[SELF] === undefined ? { [SELF]: LEAF, ...inner } : inner
  }
  return node
}

/**
 * Adapts a set to a schema in which objects or lists became atomic: a manager that owned parts of one now owns all of
 * it.
 */
export function fitToSchema(set: FieldSet, schema: Schema): FieldSet {
  const children = new Map<Element, FieldSet>()
  let changed = false
  for (const element in set) {
    if (element === SELF) continue
    const child = set[element] as FieldSet
    const fitted = fitNode(child, childSchema(schema, element))
    changed ||= fitted !== child
    children.set(element, fitted)
  }
  return changed ? (makeNode(set[SELF] !== undefined, children) ?? LEAF) : set
}

function fitNode(node: FieldSet, schema: Schema): FieldSet {
  if (isEmpty(node)) return node
  return isAtomic(schema) ? LEAF : fitToSchema(node, schema)
}

function isAtomic(schema: Schema): boolean {
  if (schema.type === 'list') return schema.topology === 'atomic'
  return (schema.type === 'struct' || schema.type === 'map') && schema.atomic
}

function childSchema(schema: Schema, element: Element): Schema {
  if (element.startsWith('f:')) return fieldSchema(schema, element.slice(2))
  return schema.type === 'list' ? schema.items : ANY
}
