import { cloneJson, setOwn } from '../json.js'
import type { JsonValue } from '../object.js'
import type { SchemaNode } from './schema-tree.js'

/**
 * Removes, in place, nulls that the schema neither allows nor can replace by a default. Those that validation refuses,
 * since the schema says a type, can be kept for it.
 */
export function dropNulls(value: JsonValue, node: SchemaNode, refusable?: 'kept'): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const items = node.items
    if (items) for (const item of value) dropNulls(item, items, refusable)
    return
  }
  for (const key of Object.keys(value)) {
    const child = node.properties.get(key) ?? node.additional
    if (!child) continue
    const field = value[key] as JsonValue
    if (field !== null) dropNulls(field, child, refusable)
    else if (child.nullable || child.default !== undefined) continue
    else if (refusable === undefined || !isTyped(child)) delete value[key]
  }
}

function isTyped({ type, schema }: SchemaNode): boolean {
  return type !== '' || schema['x-kubernetes-int-or-string'] === true
}

/** Fills in, in place, the defaults of absent fields, and of nulls where null is not allowed. */
export function fillDefaults(value: JsonValue, node: SchemaNode): void {
  if (typeof value !== 'object' || value === null || !node.defaultsBelow) return
  if (Array.isArray(value)) fillItems(value, node.items)
  else fillFields(value, node)
}

function fillItems(items: JsonValue[], node: SchemaNode | undefined): void {
  if (!node?.defaultsBelow) return
  for (let index = 0; index < items.length; index++) {
    if (items[index] === null && wantsDefault(node)) items[index] = cloneJson(node.default as JsonValue)
    fillDefaults(items[index] as JsonValue, node)
  }
}

function fillFields(object: { [key: string]: JsonValue }, node: SchemaNode): void {
  for (const [name, property] of node.properties) {
    if (!property.defaultsBelow) continue
    const absent = !Object.hasOwn(object, name)
    if (property.default !== undefined && (absent || (object[name] === null && !property.nullable))) {
      setOwn(object, name, cloneJson(property.default))
    } else if (absent) {
      continue
    }
    fillDefaults(object[name] as JsonValue, property)
  }
  const additional = node.additional
  if (!additional?.defaultsBelow) return
  for (const key of Object.keys(object)) {
    if (node.properties.has(key)) continue
    if (object[key] === null && wantsDefault(additional)) object[key] = cloneJson(additional.default as JsonValue)
    fillDefaults(object[key] as JsonValue, additional)
  }
}

function wantsDefault(node: SchemaNode): boolean {
  return !node.nullable && node.default !== undefined
}
