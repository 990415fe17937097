import type { JsonObject } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import { recursiveDifference } from './algebra.js'
import { type Comparison, compareObjects } from './compare.js'
import type { FieldSet } from './field-set.js'

/** The other versions of a resource, for managers that wrote through them. */
export interface Versions {
  /** Returns the schema of a version; undefined if the version is no longer served. */
  schema(apiVersion: string): StructSchema | undefined
  convert(object: JsonObject, apiVersion: string): JsonObject
}

/** Removes fields from a set that a request to this resource or subresource cannot change. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** Returns a filter that removes some fields and everything below. */
export function without(fields: FieldSet): FieldFilter {
  return (set) => recursiveDifference(set, fields)
}

/** The parts of a request that depend only on the resource and its versions. */
export interface ResourceShape {
  readonly apiVersion: string
  readonly schema: StructSchema
  /** Custom resources have no zero values. */
  readonly custom: boolean
  /** Without it, managers of other versions are assumed to see the same fields. */
  readonly versions?: Versions | undefined
  /** By version: the fields that writes through this path do not own. */
  readonly filters?: ReadonlyMap<string, FieldFilter> | undefined
}

/** One object in the versions of its managers. Each conversion is done once. */
export class VersionedObject {
  readonly #shape: ResourceShape
  readonly #object: JsonObject
  readonly #apiVersion: string
  #converted: Map<string, JsonObject> | undefined

  constructor(shape: ResourceShape, object: JsonObject, apiVersion = shape.apiVersion) {
    this.#shape = shape
    this.#object = object
    this.#apiVersion = apiVersion
  }

  at(apiVersion: string): JsonObject {
    const { versions } = this.#shape
    if (apiVersion === this.#apiVersion || versions === undefined) return this.#object
    this.#converted ??= new Map()
    let object = this.#converted.get(apiVersion)
    if (object === undefined) {
      object = versions.convert(this.#object, apiVersion)
      this.#converted.set(apiVersion, object)
    }
    return object
  }
}

/** Returns the schema of a version; undefined if managers of that version no longer matter. */
export function schemaAt(shape: ResourceShape, apiVersion: string): StructSchema | undefined {
  if (apiVersion === shape.apiVersion || shape.versions === undefined) return shape.schema
  return shape.versions.schema(apiVersion)
}

export function filtered(shape: ResourceShape, apiVersion: string, set: FieldSet): FieldSet {
  return shape.filters?.get(apiVersion)?.(set) ?? set
}

/** The changes from one object to another, in any version. */
export class Changes {
  readonly #shape: ResourceShape
  readonly #before: VersionedObject
  readonly #after: VersionedObject
  readonly #comparisons = new Map<string, Comparison>()

  constructor(shape: ResourceShape, before: VersionedObject, after: VersionedObject) {
    this.#shape = shape
    this.#before = before
    this.#after = after
  }

  /** Returns undefined if the version is no longer served. */
  at(apiVersion: string): Comparison | undefined {
    const key = isSameInEveryVersion(this.#shape, apiVersion) ? '' : apiVersion
    const known = this.#comparisons.get(key)
    if (known !== undefined) return known
    const schema = schemaAt(this.#shape, apiVersion)
    if (schema === undefined) return undefined
    const comparison = compareAt(
      this.#shape,
      apiVersion,
      schema,
      this.#before.at(apiVersion),
      this.#after.at(apiVersion),
    )
    this.#comparisons.set(key, comparison)
    return comparison
  }
}

/** A client can send entries of thousands of versions. They share one comparison if all versions have the same fields. */
function isSameInEveryVersion({ versions, filters }: ResourceShape, apiVersion: string): boolean {
  return versions === undefined && filters?.has(apiVersion) !== true
}

/** Returns the changes between two objects of the same version that a request to the resource can make. */
export function compareAt(
  shape: ResourceShape,
  apiVersion: string,
  schema: StructSchema,
  before: JsonObject,
  after: JsonObject,
): Comparison {
  const raw = compareObjects(before, after, schema, { zeroes: !shape.custom })
  if (!shape.filters?.has(apiVersion)) return raw
  return {
    added: filtered(shape, apiVersion, raw.added),
    modified: filtered(shape, apiVersion, raw.modified),
    removed: filtered(shape, apiVersion, raw.removed),
  }
}
