import type { JsonValue } from '@orrery/kinds'
import { cloneJson, setOwn, tooLarge } from '@orrery/kinds/values'
import type { SchemaNode } from './schema-tree.js'

/**
 * Removes, in place, nulls that the schema neither allows nor replaces by a default. Nulls that validation rejects,
 * because the schema has a type, can be kept for it.
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

/**
 * Fills in, in place, the defaults of absent fields, and of nulls where null is not allowed. Throws a 413 if they add
 * more than `maxAdded` characters: a default of any size is added to each of the million items that 3 MB can have.
 */
export function fillDefaults(value: JsonValue, node: SchemaNode, maxAdded = Number.POSITIVE_INFINITY): void {
  new Filling(maxAdded).value(value, node)
}

/** The length of a default as JSON, with its separators. */
const lengths = new WeakMap<SchemaNode, number>()

const PLACE = 16

class Filling {
  #left: number

  constructor(maxAdded: number) {
    this.#left = maxAdded
  }

  value(value: JsonValue, node: SchemaNode): void {
    if (typeof value !== 'object' || value === null || !node.defaultsBelow) return
    if (Array.isArray(value)) this.#items(value, node.items)
    else this.#fields(value, node)
  }

  #items(items: JsonValue[], node: SchemaNode | undefined): void {
    if (!node?.defaultsBelow) return
    for (let index = 0; index < items.length; index++) {
      if (items[index] === null && wantsDefault(node)) items[index] = this.#defaultOf(node)
      this.value(items[index] as JsonValue, node)
    }
  }

  #fields(object: { [key: string]: JsonValue }, node: SchemaNode): void {
    for (const [name, property] of node.properties) {
      if (!property.defaultsBelow) continue
      const absent = !Object.hasOwn(object, name)
      if (property.default !== undefined && (absent || (object[name] === null && !property.nullable))) {
        setOwn(object, name, this.#defaultOf(property))
      } else if (absent) {
        continue
      }
      this.value(object[name] as JsonValue, property)
    }
    const additional = node.additional
    if (!additional?.defaultsBelow) return
    for (const key of Object.keys(object)) {
      if (node.properties.has(key)) continue
      if (object[key] === null && wantsDefault(additional)) object[key] = this.#defaultOf(additional)
      this.value(object[key] as JsonValue, additional)
    }
  }

  #defaultOf(node: SchemaNode): JsonValue {
    if (this.#left < Number.POSITIVE_INFINITY) {
      let length = lengths.get(node)
      if (length === undefined) {
        length = JSON.stringify(node.default).length + PLACE
        lengths.set(node, length)
      }
      this.#left -= length
      if (this.#left < 0) throw tooLarge('Request entity too large: the defaults of the object are too many')
    }
    return cloneJson(node.default as JsonValue)
  }
}

function wantsDefault(node: SchemaNode): boolean {
  return !node.nullable && node.default !== undefined
}
