import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema, Schema } from '@orrery/kinds/tables'
import { getOwn, setOwn } from '@orrery/kinds/values'
import { type Element, itemElement } from './element.js'
import { asList, fieldSchema, shapeOf } from './shape.js'

/**
 * Merges an applied configuration into a live object. Nothing is removed; for a leaf in both, the configuration
 * applies. Unchanged values are shared with the live object, which is returned itself if nothing changes.
 */
export function mergeApplied(live: JsonObject, config: JsonObject, schema: Schema): JsonObject {
  return mergeFields(live, config, schema)
}

function mergeValues(live: JsonValue | undefined, config: JsonValue, schema: Schema): JsonValue {
  if (live === undefined || live === config) return config
  const shape = shapeOf(config, schema)
  if (shape === 'whole' || shape !== shapeOf(live, schema)) return config
  if (isNothing(live)) return config
  // Null stands for an empty object or list: it removes nothing.
  if (config === null) return live
  if (shape === 'fields') return mergeFields(live as JsonObject, config as JsonObject, schema)
  return mergeItems(live as JsonValue[], config as JsonValue[], asList(schema))
}

function mergeFields(live: JsonObject, config: JsonObject, schema: Schema): JsonObject {
  let merged = live
  for (const name of Object.keys(config)) {
    const current = getOwn(live, name)
    const value = mergeValues(current, config[name] as JsonValue, fieldSchema(schema, name))
    if (value === current) continue
    if (merged === live) merged = { ...live }
    setOwn(merged, name, value)
  }
  return merged
}

/**
 * Items of the configuration come in its order; items only in the live list keep their position as far as that order
 * allows. A live item with a duplicate key is replaced, not merged.
 */
function mergeItems(live: JsonValue[], config: JsonValue[], list: ListSchema): JsonValue[] {
  const liveElements = live.map((item) => itemElement(item, list))
  const liveItems = indexLive(live, liveElements)
  const applied = new Map<Element, JsonValue>(config.map((item) => [itemElement(item, list), item]))
  const order = [...applied.keys()]
  const shared = order.filter((element) => liveItems.has(element))
  const placed = new Set<Element>()
  const merged: JsonValue[] = []
  let next = 0
  let nextShared = 0

  const place = (element: Element) => {
    placed.add(element)
    merged.push(mergeValues(liveItems.get(element), applied.get(element) as JsonValue, list.items))
    if (shared[nextShared] === element) nextShared++
  }

  for (let i = 0; i < live.length || next < order.length; ) {
    const element = liveElements[i]
    if (element !== undefined && next < order.length) {
      if (element === order[next]) {
        place(element)
        i++
        next++
        continue
      }
      // The item is in both lists but not next: it is placed when the configuration reaches it.
      if (applied.has(element) && nextShared < shared.length && shared[nextShared] !== element) {
        i++
        continue
      }
    }
    if (element !== undefined) {
      if (!applied.has(element)) {
        merged.push(live[i] as JsonValue)
        i++
        continue
      }
      if (placed.has(element)) i++
    }
    const following = order[next]
    if (following !== undefined) {
      place(following)
      next++
    }
  }
  return sameItems(merged, live) ? live : merged
}

function indexLive(live: readonly JsonValue[], elements: readonly Element[]): Map<Element, JsonValue | undefined> {
  const items = new Map<Element, JsonValue | undefined>()
  for (let i = 0; i < live.length; i++) {
    const element = elements[i] as Element
    items.set(element, items.has(element) ? undefined : live[i])
  }
  return items
}

function sameItems(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

/**
 * Sets null where the configuration has null and nothing is left: it removed nothing in the merge, but the applier's
 * earlier fields may have been removed since.
 */
export function settleNulls(object: JsonObject, config: JsonObject, schema: Schema): JsonObject {
  let settled = object
  for (const name of Object.keys(config)) {
    const current = getOwn(object, name)
    const value = settledNull(current, config[name] as JsonValue, fieldSchema(schema, name))
    if (value === undefined || value === current) continue
    if (settled === object) settled = { ...object }
    setOwn(settled, name, value)
  }
  return settled
}

function settledNull(current: JsonValue | undefined, config: JsonValue, schema: Schema): JsonValue | undefined {
  if (config === null) return isLeft(current) ? current : null
  // The container of an emptied list was removed with it.
  if (current === undefined) return nullsIn(config, schema)
  if (current === null) return current
  if (shapeOf(config, schema) !== 'fields' || shapeOf(current, schema) !== 'fields') return current
  return settleNulls(current as JsonObject, config as JsonObject, schema)
}

/** Returns only the nulls of a configuration; undefined if there are none. */
function nullsIn(config: JsonValue, schema: Schema): JsonValue | undefined {
  if (config === null) return null
  if (shapeOf(config, schema) !== 'fields') return undefined
  let found: JsonObject | undefined
  for (const [name, value] of Object.entries(config)) {
    const nulls = nullsIn(value, fieldSchema(schema, name))
    if (nulls === undefined) continue
    found ??= {}
    setOwn(found, name, nulls)
  }
  return found
}

function isLeft(value: JsonValue | undefined): boolean {
  return value !== undefined && (typeof value !== 'object' || !isNothing(value))
}

function isNothing(value: JsonValue): boolean {
  for (const _ in value as object) return false
  return true
}
