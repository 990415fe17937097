import type { JsonObject, ManagedFieldsEntry } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import { difference, intersection, union } from './algebra.js'
import { EMPTY, type FieldSet, isEmpty } from './field-set.js'
import { fieldsOf } from './managers.js'
import { fieldSetOf } from './owned.js'
import { removeFields } from './remove.js'
import { withDeclaredFields } from './reshape.js'
import { type ResourceShape, schemaAt, VersionedObject } from './versions.js'

/**
 * Removes the fields that the applier applied before and no longer applies, unless another manager owns them or they
 * were not the applier's. `managers` contains the applier with its new fields.
 */
export function pruneAbandoned(
  shape: ResourceShape,
  merged: JsonObject,
  previous: ManagedFieldsEntry,
  managers: readonly ManagedFieldsEntry[],
): JsonObject {
  const version = previous.apiVersion ?? ''
  const schema = schemaAt(shape, version)
  if (schema === undefined) return merged
  const abandoned = fieldsOf(previous)
  const owned = ownedByVersion(managers)
  if (version === shape.apiVersion && isEmpty(difference(abandoned, owned.get(version) ?? EMPTY))) return merged

  const converted = new VersionedObject(shape, merged)
  const before = converted.at(version)
  const last = withDeclaredFields(abandoned, schema)
  let rest: Versioned = { version, object: removeFields(before, last, schema) }
  // The version of the previous apply comes first: conversion to other versions may need its fields.
  for (const [at, fields] of [...owned].sort(([a], [b]) => Number(b === version) - Number(a === version))) {
    rest = restoreOwned(shape, converted, rest, at, fields)
  }
  const survivors = new VersionedObject(shape, rest.object, rest.version).at(version)
  const gone = difference(namedFields(before, schema), namedFields(survivors, schema))
  const pruned = removeFields(before, intersection(gone, last), schema)
  return new VersionedObject(shape, pruned, version).at(shape.apiVersion)
}

interface Versioned {
  readonly version: string
  readonly object: JsonObject
}

function ownedByVersion(managers: readonly ManagedFieldsEntry[]): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>()
  for (const entry of managers) {
    const version = entry.apiVersion ?? ''
    owned.set(version, union(owned.get(version) ?? EMPTY, fieldsOf(entry)))
  }
  return owned
}

/** Restores the fields that managers own in a version. */
function restoreOwned(
  shape: ResourceShape,
  merged: VersionedObject,
  rest: Versioned,
  version: string,
  owned: FieldSet,
): Versioned {
  const schema = schemaAt(shape, version)
  if (schema === undefined) return rest
  const before = merged.at(version)
  const current = new VersionedObject(shape, rest.object, rest.version).at(version)
  const staying = union(namedFields(current, schema), withDeclaredFields(owned, schema))
  return { version, object: removeFields(before, difference(namedFields(before, schema), staying), schema) }
}

function namedFields(object: JsonObject, schema: StructSchema): FieldSet {
  return withDeclaredFields(fieldSetOf(object, schema), schema)
}
