import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema, Schema, StructSchema } from '@orrery/kinds/tables'
import { getOwn, jsonEqual } from '@orrery/kinds/values'
import { type Element, fieldElement, itemElement } from './element.js'
import { EMPTY, type FieldSet, LEAF, makeNode, SELF } from './field-set.js'
import { addedNode } from './owned.js'
import { asList, fieldSchema, shapeOf, zeroValuesOf } from './shape.js'
import { UNOWNED_METADATA, UNOWNED_TYPE } from './unowned.js'

/** The difference between two objects. No path is in more than one set. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** The difference for a part of an object; undefined if there is none. */
interface Delta {
  readonly added?: FieldSet | undefined
  readonly modified?: FieldSet | undefined
  readonly removed?: FieldSet | undefined
}

const MODIFIED: Delta = { modified: LEAF }

/** Compared separately, because it has fields without an owner. */
const METADATA = 'metadata'
const SKIPPED: ReadonlySet<string> = new Set([...UNOWNED_TYPE, METADATA])
const NONE: ReadonlySet<string> = new Set()

export interface CompareOptions {
  /** Fields that always exist in Go (see `zeroValuesOf`) count as present on both sides, and null as absent. */
  readonly zeroes: boolean
}

/**
 * Returns what changes from one object to another, without the metadata that has no owner. Throws `UnkeyedItem` if a
 * list item has no key.
 */
export function compareObjects(
  before: JsonObject,
  after: JsonObject,
  schema: StructSchema,
  options: CompareOptions,
): Comparison {
  if (before === after) return { added: EMPTY, modified: EMPTY, removed: EMPTY }
  const parts = new Parts()
  compareFields(before, after, schema, options, SKIPPED, parts)
  const metadata = new Parts()
  const metadataSchema = fieldSchema(schema, METADATA)
  compareFields(metadataOf(before), metadataOf(after), metadataSchema, options, UNOWNED_METADATA, metadata)
  parts.put(fieldElement(METADATA), metadata.delta())
  const { added = EMPTY, modified = EMPTY, removed = EMPTY } = parts.delta() ?? {}
  return { added, modified, removed }
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = getOwn(object, METADATA)
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {}
}

export function isUnchanged(comparison: Comparison): boolean {
  return comparison.added === EMPTY && comparison.modified === EMPTY && comparison.removed === EMPTY
}

function compareValues(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  schema: Schema,
  options: CompareOptions,
): Delta | undefined {
  if (before === after) return undefined
  if (before === undefined) return { added: addedNode(after as JsonValue, schema) }
  if (after === undefined) return { removed: addedNode(before, schema) }
  const shapeBefore = shapeOf(before, schema)
  const shapeAfter = shapeOf(after, schema)
  if (shapeBefore !== shapeAfter) return compareShapes(before, after, schema)
  switch (shapeAfter) {
    case 'whole':
      return jsonEqual(before, after) ? undefined : MODIFIED
    case 'items':
      return compareLists(before as JsonValue[] | null, after as JsonValue[] | null, asList(schema), options)
    case 'fields': {
      if (isEmptyObject(before) && isEmptyObject(after)) return jsonEqual(before, after) ? undefined : MODIFIED
      const parts = new Parts()
      compareFields((before ?? {}) as JsonObject, (after ?? {}) as JsonObject, schema, options, NONE, parts)
      return parts.delta()
    }
  }
}

/** An object became a scalar or a list, or vice versa: the value is modified, and its parts are added or removed. */
function compareShapes(before: JsonValue, after: JsonValue, schema: Schema): Delta {
  const { [SELF]: _gone, ...removed } = addedNode(before, schema)
  const { [SELF]: _new, ...added } = addedNode(after, schema)
  return {
    modified: LEAF,
    removed: Object.keys(removed).length === 0 ? undefined : removed,
    added: Object.keys(added).length === 0 ? undefined : added,
  }
}

function compareFields(
  before: JsonObject,
  after: JsonObject,
  schema: Schema,
  options: CompareOptions,
  skipped: ReadonlySet<string>,
  parts: Parts,
): void {
  const zeroes = options.zeroes && schema.type === 'struct' ? zeroValuesOf(schema) : undefined
  for (const name of Object.keys(after)) {
    const value = after[name] as JsonValue
    const previous = Object.hasOwn(before, name) ? before[name] : zeroes?.get(name)
    if (previous === value || skipped.has(name)) continue
    if (value === null && previous === undefined && options.zeroes) continue
    parts.put(fieldElement(name), compareValues(previous, value, fieldSchema(schema, name), options))
  }
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(after, name) || skipped.has(name)) continue
    const value = zeroes?.get(name)
    parts.put(fieldElement(name), compareValues(before[name], value, fieldSchema(schema, name), options))
  }
}

function compareLists(
  before: JsonValue[] | null,
  after: JsonValue[] | null,
  list: ListSchema,
  options: CompareOptions,
): Delta | undefined {
  const itemsBefore = groupItems(before ?? [], list)
  const itemsAfter = groupItems(after ?? [], list)
  if (itemsBefore.size === 0 && itemsAfter.size === 0) return before === null || after === null ? MODIFIED : undefined
  const parts = new Parts()
  for (const [element, items] of itemsBefore) {
    parts.put(element, compareItems(items, itemsAfter.get(element) ?? [], list, options))
  }
  for (const [element, items] of itemsAfter) {
    if (!itemsBefore.has(element)) parts.put(element, compareItems([], items, list, options))
  }
  return parts.delta()
}

/**
 * Items with duplicate keys are compared as one value; an item that starts or stops sharing a key is added or removed
 * as a whole.
 */
function compareItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  list: ListSchema,
  options: CompareOptions,
): Delta | undefined {
  if (before.length <= 1 && after.length <= 1) return compareValues(before[0], after[0], list.items, options)
  if (before.length >= 2 && after.length >= 2) {
    return jsonEqual(before as JsonValue[], after as JsonValue[]) ? undefined : MODIFIED
  }
  if (before.length >= 2) {
    return { removed: LEAF, added: after[0] === undefined ? undefined : addedNode(after[0], list.items) }
  }
  return { added: LEAF, removed: before[0] === undefined ? undefined : addedNode(before[0], list.items) }
}

function groupItems(items: readonly JsonValue[], list: ListSchema): Map<Element, JsonValue[]> {
  const groups = new Map<Element, JsonValue[]>()
  for (const item of items) {
    const element = itemElement(item, list)
    const group = groups.get(element)
    if (group === undefined) groups.set(element, [item])
    else group.push(item)
  }
  return groups
}

function isEmptyObject(value: JsonValue): boolean {
  for (const _ in value as JsonObject | null) return false
  return true
}

type Children = Map<Element, FieldSet>

/** The combined differences of the children of a node. */
class Parts {
  #added: Children | undefined
  #modified: Children | undefined
  #removed: Children | undefined
  #changed = false

  put(element: Element, delta: Delta | undefined): void {
    if (delta === undefined) return
    this.#changed = true
    if (delta.added !== undefined) this.#added = withChild(this.#added, element, delta.added)
    if (delta.modified !== undefined) this.#modified = withChild(this.#modified, element, delta.modified)
    if (delta.removed !== undefined) this.#removed = withChild(this.#removed, element, delta.removed)
  }

  delta(): Delta | undefined {
    if (!this.#changed) return undefined
    return { added: nodeOf(this.#added), modified: nodeOf(this.#modified), removed: nodeOf(this.#removed) }
  }
}

/** Adds a child. The map is created with the first one, since most nodes have none. */
function withChild(children: Children | undefined, element: Element, node: FieldSet): Children {
  return (children ?? new Map<Element, FieldSet>()).set(element, node)
}

function nodeOf(children: Children | undefined): FieldSet | undefined {
  return children === undefined ? undefined : makeNode(false, children)
}
