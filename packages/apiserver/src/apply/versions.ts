import type { JsonObject } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import { recursiveDifference } from './algebra.js'
import { type Comparison, compareObjects } from './compare.js'
import type { FieldSet } from './field-set.js'

/** The other versions of a resource, for managers that wrote through them. */
export interface Versions {
  /** The shape at a version; undefined when the resource is not served at it any more. */
  schema(apiVersion: string): StructSchema | undefined
  convert(object: JsonObject, apiVersion: string): JsonObject
}

/** Takes out of a field set what a request to this resource or subresource cannot change. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** A filter that drops some fields and all that is below them. */
export function without(fields: FieldSet): FieldFilter {
  return (set) => recursiveDifference(set, fields)
}

/** What does not depend on the request: the resource and its versions. */
export interface ResourceShape {
  readonly apiVersion: string
  readonly schema: StructSchema
  /** Custom resources have no fields that are there without being set. */
  readonly custom: boolean
  /** Without it, managers of other versions are taken to see the same fields. */
  readonly versions?: Versions | undefined
  /** By version: what writes through this path do not own. */
  readonly filters?: ReadonlyMap<string, FieldFilter> | undefined
}

/** One object as its managers see it: in their versions. Conversions are done once. */
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

/** The schema at a version; undefined when managers of that version are of no consequence any more. */
export function schemaAt(shape: ResourceShape, apiVersion: string): StructSchema | undefined {
  if (apiVersion === shape.apiVersion || shape.versions === undefined) return shape.schema
  return shape.versions.schema(apiVersion)
}

export function filtered(shape: ResourceShape, apiVersion: string, set: FieldSet): FieldSet {
  return shape.filters?.get(apiVersion)?.(set) ?? set
}

/** The changes from one object to another, in any version a manager asks for. */
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

  /** Undefined when the version is not served any more. */
  at(apiVersion: string): Comparison | undefined {
    const known = this.#comparisons.get(apiVersion)
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
    this.#comparisons.set(apiVersion, comparison)
    return comparison
  }
}

/** The changes from one object to another, both of the same version, that a request to the resource can make. */
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
