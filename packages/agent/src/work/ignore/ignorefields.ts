import type { IgnoreField } from '@orrery/api'
import { isObject, type JsonObject, type JsonValue } from '@orrery/kube'
import { jqPaths } from './jqpaths.js'
import { jsonPathFields } from './jsonpathfields.js'
import { pointerPath } from './jsonpointer.js'
import { child, type FieldPath, inRemovalOrder, valueAt, withValueAt } from './path.js'

/** The fields of a manifest that are left alone once the object is there. Throws `IgnoreFieldError`. */
export function fieldsLeftAlone(manifest: JsonObject, ignored: readonly IgnoreField[]): FieldPath[] {
  const paths: FieldPath[] = []
  for (const { condition, jsonPaths = [], jsonPointers = [], jqPathExpressions = [] } of ignored) {
    // What others have changed is left alone by not applying again, not by leaving it out.
    if (condition === 'OnSpokeChange') continue
    for (const path of jsonPaths) paths.push(...jsonPathFields(manifest, path))
    for (const pointer of jsonPointers) {
      const path = pointerPath(manifest, pointer)
      if (path !== undefined) paths.push(path)
    }
    for (const expression of jqPathExpressions) paths.push(...jqPaths(manifest, expression))
  }
  return inRemovalOrder(paths.filter((path) => path.length > 0 && valueAt(manifest, path) !== undefined))
}

/** The manifest without some of its fields. */
export function withoutFields(manifest: JsonObject, paths: readonly FieldPath[]): JsonObject {
  return paths.reduce((object, path) => withValueAt(object, path, undefined), manifest)
}

/**
 * The manifest with what the object has in these fields, or without them where it has nothing. Whoever applies a manifest
 * without a field that he applied before takes it away: to leave it alone is to say what is there.
 */
export function withFieldsOf(manifest: JsonObject, paths: readonly FieldPath[], current: JsonObject): JsonObject {
  return paths.reduce((object, path) => withValueAt(object, path, counterpart(manifest, path, current)), manifest)
}

/** What an object has where a manifest has something. Items of lists are the same if they have the same name. */
function counterpart(manifest: JsonObject, path: FieldPath, current: JsonObject): JsonValue | undefined {
  let here: JsonValue | undefined = manifest
  let there: JsonValue | undefined = current
  for (const step of path) {
    const item = child(here, step)
    there = typeof step === 'number' ? itemLike(there, item) : child(there, step)
    here = item
  }
  return there
}

function itemLike(list: JsonValue | undefined, item: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(list) || !isObject(item) || typeof item.name !== 'string') return undefined
  return list.find((other) => isObject(other) && other.name === item.name)
}
