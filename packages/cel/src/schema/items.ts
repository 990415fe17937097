import type { JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import type { SchemaNode } from './schema-tree.js'

/** The number of fields, map entries and set items of a value, up to just beyond `limit`. */
export function countItems(value: JsonValue, node: SchemaNode | undefined, limit: number): number {
  let count = 0
  const look = (value: JsonValue, node: SchemaNode | undefined): void => {
    if (Array.isArray(value)) {
      if (node?.listType === 'set') count += value.length
      const items = node?.items
      for (const item of value) if (typeof item === 'object' && count <= limit) look(item, items)
    } else if (isObject(value)) {
      const keys = Object.keys(value)
      count += keys.length
      for (const key of keys) {
        const child = value[key] as JsonValue
        if (typeof child === 'object' && count <= limit) look(child, node?.properties.get(key) ?? node?.additional)
      }
    }
  }
  look(value, node)
  return count
}
