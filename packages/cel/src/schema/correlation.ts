import type { JsonObject, JsonValue } from '@orrery/kinds'
import { canonicalJson, getOwn, isObject, jsonEqual } from '@orrery/kinds/values'
import type { SchemaNode } from './schema-tree.js'

/**
 * A part of an object beside its state before the update. Fields are matched by name and items of map lists by their
 * keys; items of other lists cannot be matched, so those lists are only comparable as a whole.
 */
export class Correlation {
  readonly value: JsonValue
  readonly old: JsonValue
  readonly #node: SchemaNode
  readonly #parts = new Map<string | number, Correlation | undefined>()
  #oldItems: OldItems | undefined
  #unchanged: boolean | undefined

  constructor(node: SchemaNode, value: JsonValue, old: JsonValue) {
    this.#node = node
    this.value = value
    this.old = old
  }

  field(name: string): Correlation | undefined {
    if (this.#parts.has(name)) return this.#parts.get(name)
    const part = this.#field(name)
    this.#parts.set(name, part)
    return part
  }

  item(index: number): Correlation | undefined {
    if (this.#parts.has(index)) return this.#parts.get(index)
    const part = this.#item(index)
    this.#parts.set(index, part)
    return part
  }

  /**
   * Whether nothing changed. Fields that the schema does not declare count as changed, since they were not validated.
   */
  get unchanged(): boolean {
    this.#unchanged ??= this.#compare()
    return this.#unchanged
  }

  #field(name: string): Correlation | undefined {
    if (!isObject(this.value) || !isObject(this.old)) return undefined
    const child = this.#node.properties.get(name) ?? this.#node.additional
    const value = getOwn(this.value, name)
    const old = getOwn(this.old, name)
    if (child === undefined || value === undefined || old === undefined) return undefined
    return new Correlation(child, value, old)
  }

  #item(index: number): Correlation | undefined {
    const { listType, items } = this.#node
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || listType !== 'map' || !items) return undefined
    this.#oldItems ??= new OldItems(this.#node, this.old)
    const value = this.value[index] as JsonValue
    const old = this.#oldItems.get(value)
    return old === undefined ? undefined : new Correlation(items, value, old)
  }

  #compare(): boolean {
    const { value, old } = this
    if (Array.isArray(value)) {
      if (!Array.isArray(old) || value.length !== old.length) return false
      if (this.#node.listType !== 'map') return jsonEqual(value, old)
      return value.every((_, index) => this.item(index)?.unchanged === true)
    }
    if (!isObject(value)) return value === old
    if (!isObject(old)) return false
    const keys = Object.keys(value)
    return keys.length === Object.keys(old).length && keys.every((key) => this.field(key)?.unchanged === true)
  }
}

/** The former items of a map list, by key. */
export class OldItems {
  readonly #keys: readonly string[]
  readonly #items = new Map<string, JsonObject>()

  constructor(node: SchemaNode, old: JsonValue | undefined) {
    this.#keys = node.listType === 'map' ? node.listKeys : []
    if (this.#keys.length === 0 || !Array.isArray(old)) return
    for (const item of old) {
      const key = this.#keyOf(item)
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item as JsonObject)
    }
  }

  /** The former item with the same key, if there was one. */
  get(item: JsonValue): JsonObject | undefined {
    const key = this.#keyOf(item)
    return key === undefined ? undefined : this.#items.get(key)
  }

  #keyOf(item: JsonValue): string | undefined {
    if (!isObject(item)) return undefined
    const values: JsonValue[] = []
    for (const name of this.#keys) {
      const value = getOwn(item, name)
      if (value === undefined || typeof value === 'object') return undefined
      values.push(value)
    }
    return canonicalJson(values)
  }
}
