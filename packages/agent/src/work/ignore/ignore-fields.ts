import type { IgnoreField } from '@orrery/api'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { JqPlaces, jqPaths } from './jq-paths.js'
import { pointerPath } from './json-pointer.js'
import { jsonPathFields, searchIn } from './jsonpath-fields.js'
import { child, type FieldPath, inRemovalOrder, valueAt, withChanges } from './path.js'

/** The fields of a manifest to ignore once the object exists. Throws `IgnoreFieldError`. */
export function fieldsLeftAlone(manifest: JsonObject, ignored: readonly IgnoreField[]): FieldPath[] {
  const paths: FieldPath[] = []
  const search = searchIn(manifest)
  const places = new JqPlaces()
  for (const { condition, jsonPaths = [], jsonPointers = [], jqPathExpressions = [] } of ignored) {
    // These fields are ignored by not applying again, not by omitting them.
    if (condition === 'OnSpokeChange') continue
    for (const path of jsonPaths) paths.push(...jsonPathFields(manifest, path, search))
    for (const pointer of jsonPointers) {
      const path = pointerPath(manifest, pointer)
      if (path !== undefined) paths.push(path)
    }
    for (const expression of jqPathExpressions) paths.push(...jqPaths(manifest, expression, places))
  }
  return inRemovalOrder(paths.filter((path) => path.length > 0 && valueAt(manifest, path) !== undefined))
}

/** The manifest without some of its fields. */
export function withoutFields(manifest: JsonObject, paths: readonly FieldPath[]): JsonObject {
  return withChanges(
    manifest,
    paths.map((path) => [path, undefined]),
  )
}

/**
 * The manifest with the object's values of these fields, or without them where the object has none. An apply without
 * a field that was applied before removes it, so ignoring a field means to apply its current value.
 */
export function withFieldsOf(manifest: JsonObject, paths: readonly FieldPath[], current: JsonObject): JsonObject {
  const named: NamedItems = new Map()
  return withChanges(
    manifest,
    paths.map((path) => [path, counterpart(manifest, path, current, named)]),
  )
}

/** The value of an object at the path of a manifest. List items are matched by name. */
function counterpart(
  manifest: JsonObject,
  path: FieldPath,
  current: JsonObject,
  named: NamedItems,
): JsonValue | undefined {
  let here: JsonValue | undefined = manifest
  let there: JsonValue | undefined = current
  for (const step of path) {
    const item = child(here, step)
    there = typeof step === 'number' ? itemLike(there, item, named) : child(there, step)
    here = item
  }
  return there
}

/** Items by name, for lists that were searched: there may be as many paths as items. */
type NamedItems = Map<JsonValue[], ReadonlyMap<string, JsonObject>>

function itemLike(list: JsonValue | undefined, item: JsonValue | undefined, named: NamedItems): JsonValue | undefined {
  if (!Array.isArray(list) || !isObject(item) || typeof item.name !== 'string') return undefined
  const known = named.get(list) ?? byName(list)
  named.set(list, known)
  return known.get(item.name)
}

/** The first of several with one name. */
function byName(list: readonly JsonValue[]): ReadonlyMap<string, JsonObject> {
  const items = new Map<string, JsonObject>()
  for (const item of list) {
    if (isObject(item) && typeof item.name === 'string' && !items.has(item.name)) items.set(item.name, item)
  }
  return items
}
