import { defaultOf, itemsOf, type JsonSchema } from '@orrery/cel/schema'
import {
  addAll,
  childPath,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  keyPath,
} from '@orrery/kinds/values'
import type { Leniency } from './openapi-schema.js'

const LIST_TYPE = 'x-kubernetes-list-type'
const LIST_KEYS = 'x-kubernetes-list-map-keys'
const MAP_TYPE = 'x-kubernetes-map-type'

/** Returns the errors of the list and map types, which server-side apply uses to merge. */
export function listAndMapErrors(schema: JsonSchema, path: string, leniency: Leniency): FieldError[] {
  const errors: FieldError[] = []
  checkMapType(schema, path, errors)
  checkListType(schema, path, leniency, errors)
  if (schema[LIST_TYPE] === 'map') checkMapList(schema, path, errors)
  if (!leniency.looseListKeys) addAll(errors, listKeyErrors(schema, path))
  return errors
}

function checkMapType(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const mapType = schema[MAP_TYPE]
  if (mapType === undefined) return
  checkOwnType(schema, 'object', MAP_TYPE, path, errors)
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(fieldNotSupported(childPath(path, MAP_TYPE), mapType, ['atomic', 'granular']))
  }
}

function checkOwnType(schema: JsonSchema, wanted: string, keyword: string, path: string, errors: FieldError[]): void {
  if (schema.type === wanted) return
  const at = childPath(path, 'type')
  const detail = `must be ${wanted} if ${keyword} is specified`
  errors.push(schema.type ? fieldInvalid(at, schema.type, detail) : fieldRequired(at, detail))
}

function checkListType(schema: JsonSchema, path: string, leniency: Leniency, errors: FieldError[]): void {
  const listType = schema[LIST_TYPE]
  if (listType !== undefined) {
    checkOwnType(schema, 'array', LIST_TYPE, path, errors)
    const problem = schema.type === 'array' && !leniency.nonAtomicSets ? nonAtomicItems(schema) : undefined
    if (problem) {
      const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
      errors.push(fieldInvalid(childPath(childPath(path, 'items'), problem), itemsOf(schema)?.[LIST_TYPE], detail))
    }
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(fieldNotSupported(childPath(path, LIST_TYPE), listType, ['atomic', 'set', 'map']))
    }
  }
  if ((schema[LIST_KEYS] ?? []).length > 0 && listType !== 'map') {
    const at = childPath(path, LIST_TYPE)
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    errors.push(listType === undefined ? fieldRequired(at, detail) : fieldInvalid(at, listType, detail))
  }
}

/** Returns the keyword by which the items of a set would be merged by field, which sets do not support. */
export function nonAtomicItems(schema: JsonSchema): string | undefined {
  const items = itemsOf(schema)
  if (schema[LIST_TYPE] !== 'set' || !items) return undefined
  if (items.type === 'array' && (items[LIST_TYPE] ?? 'atomic') !== 'atomic') return LIST_TYPE
  if (items.type === 'object' && items[MAP_TYPE] !== 'atomic') return MAP_TYPE
  return undefined
}

function checkMapList(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const keys = schema[LIST_KEYS] ?? []
  const itemsPath = childPath(path, 'items')
  const keysPath = childPath(path, LIST_KEYS)
  if (keys.length === 0) errors.push(fieldRequired(keysPath, 'must not be empty if x-kubernetes-list-type is map'))
  if (schema.items === undefined) {
    errors.push(fieldRequired(itemsPath, 'must have a schema if x-kubernetes-list-type is map'))
    return
  }
  const items = itemsOf(schema)
  if (!items) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map'
    errors.push(fieldInvalid(itemsPath, schema.items, detail))
    return
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(fieldInvalid(childPath(itemsPath, 'type'), items.type ?? '', detail))
    return
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const property = propertyOf(items, key)
    if (property === undefined) {
      errors.push(fieldInvalid(keysPath, keys, 'entries must all be names of item properties'))
    } else if (property.type === 'array' || property.type === 'object') {
      const at = childPath(keyPath(childPath(itemsPath, 'properties'), key), 'type')
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.push(fieldInvalid(at, items.type, detail))
    }
    if (seen.has(key)) errors.push(fieldInvalid(keysPath, keys, 'must not contain duplicate entries'))
    seen.add(key)
  }
}

/** Keys are required or have a default, so that items can be distinguished. */
export function listKeyErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema)
  const listType = schema[LIST_TYPE]
  if (!items || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  const itemsPath = childPath(path, 'items')
  if (items.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`
    errors.push(fieldForbidden(childPath(itemsPath, 'nullable'), detail))
  }
  if (listType === 'set') return errors
  for (const key of schema[LIST_KEYS] ?? []) {
    const property = propertyOf(items, key)
    if (!property) continue
    const at = keyPath(childPath(itemsPath, 'properties'), key)
    if (!(items.required ?? []).includes(key) && defaultOf(property) === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(fieldRequired(childPath(at, 'default'), detail))
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
      errors.push(fieldForbidden(childPath(at, 'nullable'), detail))
    }
  }
  return errors
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  return schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
}
