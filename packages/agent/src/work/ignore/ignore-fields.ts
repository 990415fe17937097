import type { IgnoreField } from '@orrery/api'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { JqPlaces, jqPaths } from './jq-paths.js'
import { pointerPath } from './json-pointer.js'
import { jsonPathFields, searchIn } from './jsonpath-fields.js'
import { child, type FieldPath, inRemovalOrder, valueAt, withChanges } from './path.js'

/** The fields of a manifest that are left alone once the object is there. Throws `IgnoreFieldError`. */
export function fieldsLeftAlone(manifest: JsonObject, ignored: readonly IgnoreField[]): FieldPath[] {
  const paths: FieldPath[] = []
  const search = searchIn(manifest)
  const places = new JqPlaces()
  for (const { condition, jsonPaths = [], jsonPointers = [], jqPathExpressions = [] } of ignored) {
    // What others have changed is left alone by not applying again, not by leaving it out.
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
 * The manifest with what the object has in these fields, or without them where it has nothing. Whoever applies a manifest
 * without a field that he applied before takes it away: to leave it alone is to say what is there.
 */
export function withFieldsOf(manifest: JsonObject, paths: readonly FieldPath[], current: JsonObject): JsonObject {
  const named: NamedItems = new Map()
  return withChanges(
    manifest,
    paths.map((path) => [path, counterpart(manifest, path, current, named)]),
  )
}

/** What an object has where a manifest has something. Items of lists are the same if they have the same name. */
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

/** The items of lists by their names, of lists that were looked at: there may be as many paths as items. */
type NamedItems = Map<JsonValue[], ReadonlyMap<string, JsonObject>>

function itemLike(list: JsonValue | undefined, item: JsonValue | undefined, named: NamedItems): JsonValue | undefined {
  if (!Array.isArray(list) || !isObject(item) || typeof item.name !== 'string') return undefined
  const known = named.get(list) ?? byName(list)
  named.set(list, known)
  return known.get(item.name)
}

/** Of several with one name the first. */
function byName(list: readonly JsonValue[]): ReadonlyMap<string, JsonObject> {
  const items = new Map<string, JsonObject>()
  for (const item of list) {
    if (isObject(item) && typeof item.name === 'string' && !items.has(item.name)) items.set(item.name, item)
  }
  return items
}
