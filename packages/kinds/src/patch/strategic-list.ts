import type { JsonObject, JsonValue } from '../object.js'
import { formatGoValue, getOwn, goTypeName, isObject, type StatusError } from '../values/index.js'
import { unprocessablePatch, wrongPatch } from './errors.js'

/** Returns the common type of all elements. Lists with mixed types or with lists cannot be merged. */
export function elementType(...lists: readonly JsonValue[][]): 'object' | 'string' | 'number' | 'boolean' {
  let type: string | undefined
  for (const item of lists.flat()) {
    if (Array.isArray(item)) throw unprocessablePatch('lists of lists are not supported')
    const itemType = item === null ? 'null' : typeof item
    type ??= itemType
    if (itemType !== type || itemType === 'null') {
      throw wrongPatch(`list element types are not identical: ${formatGoValue(lists.slice())}`)
    }
  }
  if (type === undefined) throw wrongPatch('no elements in any of the given slices')
  return type as 'object' | 'string' | 'number' | 'boolean'
}

/** Merges lists of objects by a merge key. `$patch` elements delete one item or replace all. */
export function mergeLists(
  current: readonly JsonObject[],
  change: readonly JsonObject[],
  mergeKey: string,
  mergeItem: (item: JsonObject, change: JsonObject) => JsonObject,
): JsonValue[] {
  const deleted = new Set<JsonValue>()
  const changes: JsonObject[] = []
  let replace = false
  for (const item of change) {
    const directive = getOwn(item, '$patch')
    if (directive === undefined) changes.push(item)
    else if (directive === 'delete') deleted.add(mergeKeyOf(item, mergeKey))
    else if (directive === 'replace') replace = true
    else if (directive === 'merge') throw wrongPatch('merging lists cannot yet be specified in the patch')
    else throw wrongPatch(`unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(item)}`)
  }
  if (replace) return reorder(changes, [], changes, mergeKey)

  const kept = deleted.size === 0 ? current : current.filter((item) => !deleted.has(getOwn(item, mergeKey) ?? null))
  const merged = kept.slice()
  const indices = indexByKey(merged, mergeKey)
  for (const item of changes) {
    const key = mergeKeyOf(item, mergeKey)
    const index = indices.get(key)
    if (index === undefined) {
      indices.set(key, merged.length)
      merged.push(item)
    } else {
      merged[index] = mergeItem(merged[index] as JsonObject, item)
    }
  }
  return reorder(merged, changes, kept, mergeKey)
}

/**
 * Sorts items in the order of the patch; items that it does not name keep their relative position in the live list. The
 * relative order of either group takes precedence over that of the live list.
 */
export function reorder(
  items: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const patchIndex = indexByKey(patchOrder, mergeKey)
  const liveIndex = indexByKey(liveOrder, mergeKey)
  const patched: JsonValue[] = []
  const serverOnly: JsonValue[] = []
  for (const item of items) (patchIndex.has(mergeKeyOf(item, mergeKey)) ? patched : serverOnly).push(item)
  sortBy(patched, patchIndex, mergeKey)
  sortBy(serverOnly, liveIndex, mergeKey)

  const ordered: JsonValue[] = []
  let next = 0
  for (const item of patched) {
    const limit = liveIndex.get(mergeKeyOf(item, mergeKey))
    while (limit !== undefined && next < serverOnly.length) {
      const candidate = serverOnly[next] as JsonValue
      const index = liveIndex.get(mergeKeyOf(candidate, mergeKey))
      if (index === undefined || index >= limit) break
      ordered.push(candidate)
      next++
    }
    ordered.push(item)
  }
  return ordered.concat(serverOnly.slice(next))
}

/**
 * Returns the live order after a patch that deletes items: the remaining items, then as many new ones as were deleted.
 * Further new items have no position.
 */
export function liveOrderAfter(
  current: readonly JsonValue[],
  change: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const deleted = new Set(change.filter(isDeletion).map((item) => mergeKeyOf(item, mergeKey)))
  const staying = current.filter((item) => !deleted.has(mergeKeyOf(item, mergeKey)))
  const known = indexByKey(staying, mergeKey)
  const added = change.filter((item) => !hasDirective(item) && !known.has(mergeKeyOf(item, mergeKey)))
  return [...staying, ...added.slice(0, current.length - staying.length)]
}

function isDeletion(item: JsonValue): boolean {
  return isObject(item) && getOwn(item, '$patch') === 'delete'
}

/** Returns whether an item is a directive for the list instead of an element. */
export function hasDirective(item: JsonValue): boolean {
  return isObject(item) && Object.hasOwn(item, '$patch')
}

function sortBy(items: JsonValue[], index: ReadonlyMap<JsonValue, number>, mergeKey: string): void {
  const rank = (item: JsonValue) => index.get(mergeKeyOf(item, mergeKey)) ?? 0
  items.sort((a, b) => rank(a) - rank(b))
}

function indexByKey(items: readonly JsonValue[], mergeKey: string): Map<JsonValue, number> {
  const index = new Map<JsonValue, number>()
  for (let i = 0; i < items.length; i++) {
    const key = mergeKeyOf(items[i] as JsonValue, mergeKey)
    if (!index.has(key)) index.set(key, i)
  }
  return index
}

/** Returns the merge key of an item: the item itself in a list of scalars. */
export function mergeKeyOf(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return item
  if (!isObject(item)) throw wrongType('map[string]interface {}', item)
  const key = getOwn(item, mergeKey)
  if (key === undefined) {
    throw wrongPatch(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`)
  }
  return key
}

export function wrongType(expected: string, actual: JsonValue): StatusError {
  return wrongPatch(`expected a ${expected}, but received a ${actual === null ? '%!s(<nil>)' : goTypeName(actual)}`)
}
