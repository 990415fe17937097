import type { JsonObject, JsonValue } from '../object.js'
import { badRequest, getOwn, isObject, setOwn } from '../values/index.js'
import { jsonTypeName, withoutNulls } from './json.js'

/**
 * Applies a JSON merge patch (RFC 7386). Neither input is modified; unchanged values are shared. Unlike the RFC, and
 * like Kubernetes, it also drops nulls in objects of a new list.
 */
export function mergePatch(target: JsonObject, patch: JsonValue): JsonObject {
  if (patch === null) throw badRequest('Invalid JSON Patch')
  if (!isObject(patch)) {
    const type = jsonTypeName(patch)
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    )
  }
  return mergeObject(target, patch)
}

function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target }
  for (const key of Object.keys(patch)) {
    const change = patch[key] as JsonValue
    if (change === null) {
      delete merged[key]
      continue
    }
    const current = getOwn(target, key)
    setOwn(merged, key, isObject(current) ? mergeIntoObject(current, change) : withoutNulls(change))
  }
  return merged
}

function mergeIntoObject(current: JsonObject, change: JsonValue): JsonValue {
  return isObject(change) ? mergeObject(current, change) : change
}
