import type { GroupVersionKind, JsonObject, JsonValue } from '@orrery/kinds'
import {
  type AnySchema,
  describeField,
  describeKind,
  type Field,
  type ScalarType,
  type Schema,
  type StructSchema,
} from '@orrery/kinds/tables'
import { namedAny, namedScalar, plainScalar } from './leaves.js'
import { kindExtension } from './names.js'

/** OpenAPI v2 (Swagger) or v3. They differ in references, alternatives of types and defaults. */
export type Dialect = 'v2' | 'v3'

const REFERENCE_ROOT: Readonly<Record<Dialect, string>> = { v2: '#/definitions/', v3: '#/components/schemas/' }

/** Collects the definitions of one document, including everything that is referenced. */
export class Definitions {
  readonly #dialect: Dialect
  readonly #kinds: ReadonlyMap<string, readonly GroupVersionKind[]>
  readonly #written = new Map<string, JsonObject>()

  /** `kinds` has the definitions that are kinds of the API, for `x-kubernetes-group-version-kind`. */
  constructor(dialect: Dialect, kinds: ReadonlyMap<string, readonly GroupVersionKind[]>) {
    this.#dialect = dialect
    this.#kinds = kinds
  }

  has(name: string): boolean {
    return this.#written.has(name)
  }

  /** Adds a finished definition. */
  add(name: string, definition: JsonObject): JsonObject {
    if (!this.#written.has(name)) this.#written.set(name, this.#asKind(name, definition))
    return this.referTo(name)
  }

  referTo(name: string): JsonObject {
    return { $ref: `${REFERENCE_ROOT[this.#dialect]}${name}` }
  }

  /** Adds a named struct and returns a reference to it; an inline struct is written in place. */
  struct(schema: StructSchema): JsonObject {
    return this.#structAs(schema, schema.name)
  }

  /** Like `struct`, for a struct with a name from elsewhere. */
  namedStruct(schema: StructSchema, name: string): JsonObject {
    return this.#structAs(schema, name)
  }

  /** All definitions by name. */
  *[Symbol.iterator](): Iterator<readonly [name: string, definition: JsonObject]> {
    yield* [...this.#written].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  #structAs(schema: StructSchema, name: string | undefined): JsonObject {
    if (name === undefined) return this.#writeStruct('', schema)
    if (!this.#written.has(name)) {
      // Reserved first, since a struct can refer to itself.
      this.#written.set(name, {})
      this.#written.set(name, this.#asKind(name, this.#writeStruct(name, schema)))
    }
    return this.referTo(name)
  }

  #asKind(name: string, definition: JsonObject): JsonObject {
    const kinds = this.#kinds.get(name)
    if (kinds === undefined || Object.hasOwn(definition, 'x-kubernetes-group-version-kind')) return definition
    const described = definition.description ?? describeKind(kinds[0]?.kind ?? '')
    return {
      ...(described === undefined ? {} : { description: described }),
      ...definition,
      'x-kubernetes-group-version-kind': kinds.map(kindExtension),
    }
  }

  #writeStruct(name: string, schema: StructSchema): JsonObject {
    const isKind = this.#kinds.has(name)
    const definition: JsonObject = {}
    if (schema.description !== undefined) definition.description = schema.description
    definition.type = 'object'
    const fields = [...schema.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const required = fields.filter((field) => field.required).map(({ name }) => name)
    if (required.length > 0) definition.required = required
    if (fields.length > 0) {
      definition.properties = Object.fromEntries(
        fields.map((field) => [field.name, this.#property(field, describeField(name, isKind, field.name))]),
      )
    }
    if (schema.preserveUnknown) definition['x-kubernetes-preserve-unknown-fields'] = true
    if (schema.embedded) definition['x-kubernetes-embedded-resource'] = true
    if (schema.atomic || schema.granular) definition['x-kubernetes-map-type'] = 'atomic'
    return definition
  }

  #property(field: Field, description: string | undefined): JsonObject {
    const extras: JsonObject = {}
    const described = field.schema.description ?? description
    if (described !== undefined) extras.description = described
    if (field.default !== undefined && this.#dialect === 'v3') extras.default = field.default
    if (field.patchMergeKey !== undefined) extras['x-kubernetes-patch-merge-key'] = field.patchMergeKey
    if (field.patchStrategy !== undefined) extras['x-kubernetes-patch-strategy'] = field.patchStrategy
    if (isGranular(field.schema)) extras['x-kubernetes-map-type'] = 'granular'
    return this.#with(this.#schema(field.schema), extras)
  }

  /** In v3 `$ref` allows no siblings, so a reference with further properties becomes an `allOf`. */
  #with(schema: JsonObject, extras: JsonObject): JsonObject {
    if (Object.keys(extras).length === 0) return schema
    const alone = this.#dialect === 'v3' && schema.$ref !== undefined
    return alone ? { ...extras, allOf: [schema] } : { ...schema, ...extras }
  }

  #schema(schema: Schema): JsonObject {
    switch (schema.type) {
      case 'struct':
        return this.struct(schema)
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.#schema(schema.values),
          ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
        }
      case 'list':
        return {
          type: 'array',
          items: this.#schema(schema.items),
          ...(schema.topology === 'map' ? { 'x-kubernetes-list-map-keys': [...schema.keys] as JsonValue[] } : {}),
          'x-kubernetes-list-type': schema.topology,
        }
      case 'any':
        return this.#any(schema)
      default:
        return this.#scalar(schema.type)
    }
  }

  #any({ goType }: AnySchema): JsonObject {
    const named = goType === undefined ? undefined : namedAny(goType)
    if (named === undefined) return { 'x-kubernetes-preserve-unknown-fields': true }
    return this.add(named.name, named[this.#dialect])
  }

  #scalar(type: ScalarType): JsonObject {
    const named = namedScalar(type)
    return named === undefined ? plainScalar(type) : this.add(named.name, named[this.#dialect])
  }
}

function isGranular(schema: Schema): boolean {
  return (schema.type === 'struct' || schema.type === 'map') && schema.granular === true
}
