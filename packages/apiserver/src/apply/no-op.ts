import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import type { Schema, StructSchema } from '@orrery/kinds/tables'
import { getOwn, isObject, jsonEqual } from '@orrery/kinds/values'
import { fieldSchema, zeroValuesOf } from './shape.js'

/**
 * Returns whether an updated object differs only in the timestamps of its managers. Such a write is skipped, so that a
 * repeated apply does not change the resource version.
 */
export function isNoOpWrite(live: KubeObject, updated: KubeObject, schema: StructSchema, custom: boolean): boolean {
  const { managedFields: before = [], ...liveMetadata } = live.metadata
  const { managedFields: after = [], ...updatedMetadata } = updated.metadata
  if (before.length !== after.length) return false
  if (!before.every((entry, index) => isSameButTime(entry, after[index] as ManagedFieldsEntry))) return false
  const a: KubeObject = { ...live, metadata: liveMetadata }
  const b: KubeObject = { ...updated, metadata: updatedMetadata }
  return custom ? jsonEqual(a as JsonObject, b as JsonObject) : meansTheSame(a as JsonObject, b as JsonObject, schema)
}

function isSameButTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  const { time: _before, ...left } = a
  const { time: _after, ...right } = b
  return jsonEqual(left as JsonObject, right as JsonObject)
}

/** Compares like Go types: empty lists, empty maps and null equal a missing value. */
function meansTheSame(a: JsonValue, b: JsonValue, schema: Schema): boolean {
  if (a === b) return true
  if (schema.type === 'any') return jsonEqual(a, b)
  if (Array.isArray(a) && Array.isArray(b)) {
    const items = schema.type === 'list' ? schema.items : schema
    return a.length === b.length && a.every((item, index) => meansTheSame(item, b[index] as JsonValue, items))
  }
  if (!isObject(a) || !isObject(b)) return false
  const zeroes = schema.type === 'struct' ? zeroValuesOf(schema) : undefined
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const inner = fieldSchema(schema, name)
    const left = presence(getOwn(a, name), inner) ?? zeroes?.get(name) ?? null
    const right = presence(getOwn(b, name), inner) ?? zeroes?.get(name) ?? null
    if (!meansTheSame(left, right, inner)) return false
  }
  return true
}

function presence(value: JsonValue | undefined, schema: Schema): JsonValue | undefined {
  if (value === undefined || value === null) return undefined
  const collection = schema.type === 'list' || schema.type === 'map'
  return collection && Object.keys(value).length === 0 ? undefined : value
}
