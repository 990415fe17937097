import type { JsonObject, JsonValue } from '@orrery/kinds'
import { childPath, indexPath, isObject } from '@orrery/kinds/values'
import type { SchemaNode } from './schema-tree.js'

/** The limit of reported paths, since sorting them takes memory. */
const MAX_PATHS = 1000

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Removes, in place, fields that a schema does not declare, and returns the sorted paths of the first ones.
 * `apiVersion`, `kind` and `metadata` stay at the root (if it is a resource) and in embedded resources.
 */
export function pruneUnknown(value: JsonValue, node: SchemaNode, isResource: boolean): string[] {
  const pruned: string[] = []
  pruneValue(value, node, isResource || node.embedded, '', pruned)
  return pruned.sort()
}

function pruneValue(
  value: JsonValue,
  node: SchemaNode | undefined,
  isResource: boolean,
  path: string,
  pruned: string[],
): void {
  if (typeof value !== 'object' || value === null) return
  if (node?.preserveUnknown) pruneKnown(value, node, isResource, path, pruned)
  else if (Array.isArray(value)) pruneItems(value, node?.items, path, pruned)
  else pruneFields(value, node, isResource, path, pruned)
}

function pruneItems(items: JsonValue[], node: SchemaNode | undefined, path: string, pruned: string[]): void {
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as JsonValue
    if (typeof item !== 'object') continue
    pruneValue(item, node, node?.embedded === true, indexPath(path, index), pruned)
  }
}

function pruneFields(
  object: JsonObject,
  node: SchemaNode | undefined,
  isResource: boolean,
  path: string,
  pruned: string[],
): void {
  for (const key of Object.keys(object)) {
    if (isResource && META_FIELDS.has(key)) continue
    const child = node?.properties.get(key)
    if (child || node?.hasAdditional) {
      const value = object[key] as JsonValue
      if (typeof value !== 'object') continue
      const next = child ?? node?.additional
      pruneValue(value, next, next?.embedded === true, childPath(path, key), pruned)
    } else {
      if (pruned.length < MAX_PATHS) pruned.push(childPath(path, key))
      delete object[key]
    }
  }
}

/** Inside `x-kubernetes-preserve-unknown-fields` only declared fields are pruned. */
function pruneKnown(value: JsonValue, node: SchemaNode, isResource: boolean, path: string, pruned: string[]): void {
  if (Array.isArray(value)) {
    const items = node.items
    if (!items) return
    for (const [index, item] of value.entries()) {
      pruneKnown(item, items, items.embedded, indexPath(path, index), pruned)
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (isResource && META_FIELDS.has(key)) continue
      const child = node.properties.get(key)
      if (!child && !node.hasAdditional) continue
      const next = child ?? node.additional
      pruneValue(value[key] as JsonValue, next, next?.embedded === true, childPath(path, key), pruned)
    }
  }
}
