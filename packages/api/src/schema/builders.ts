import type { JsonSchema } from '@orrery/cel/schema'
import type { JsonObject, JsonValue, ValidationRule } from '@orrery/kinds'
import {
  type DefaultedField,
  type Fields,
  isRequired,
  type NewFields,
  type OptionalField,
  type ReadFields,
  type Schema,
  schemaOf,
} from './schema.js'

/** Options of all schemas. */
export interface SchemaOptions {
  /** The description that `kubectl explain` shows. */
  readonly description?: string
  /** CEL validation rules (`x-kubernetes-validations`). */
  readonly rules?: readonly ValidationRule[]
}

export interface StringOptions extends SchemaOptions {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

export interface NumberOptions extends SchemaOptions {
  readonly format?: 'int32' | 'int64' | 'float' | 'double'
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
}

export interface IntOrStringOptions extends SchemaOptions {
  readonly pattern?: string
}

export interface ArrayOptions extends SchemaOptions {
  /** How server-side apply merges the list. */
  readonly listType?: 'atomic' | 'set' | 'map'
  /** The keys of a list of type map. */
  readonly listMapKeys?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
}

export interface ObjectOptions extends SchemaOptions {
  /** How server-side apply merges the fields. */
  readonly mapType?: 'granular' | 'atomic'
  readonly minProperties?: number
  readonly maxProperties?: number
}

/** An embedded object of any kind. */
export interface EmbeddedObject {
  apiVersion: string
  kind: string
  metadata?: JsonObject
  [field: string]: unknown
}

/** A string. */
export function string(options: StringOptions = {}): Schema<string> {
  return { json: schemaWith('string', options) }
}

/** An enum of strings. */
export function choice<const T extends readonly string[]>(values: T, options: SchemaOptions = {}): Schema<T[number]> {
  return { json: { ...schemaWith('string', options), enum: [...values] } }
}

export function boolean(options: SchemaOptions = {}): Schema<boolean> {
  return { json: schemaWith('boolean', options) }
}

export function integer(options: NumberOptions = {}): Schema<number> {
  return { json: schemaWith('integer', options) }
}

export function number(options: NumberOptions = {}): Schema<number> {
  return { json: schemaWith('number', options) }
}

/** An integer or a string, such as a count or a percentage. */
export function intOrString(options: IntOrStringOptions = {}): Schema<number | string> {
  const json: JsonSchema = {
    ...keywords(options),
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
  }
  return { json }
}

/** An object with these fields. */
export function object<F extends Fields>(fields: F, options: ObjectOptions = {}): Schema<ReadFields<F>, NewFields<F>> {
  const json = schemaWith('object', options)
  const required: string[] = []
  const properties: Record<string, JsonSchema> = {}
  for (const [name, field] of Object.entries(fields)) {
    properties[name] = schemaOf(field)
    if (isRequired(field)) required.push(name)
  }
  if (Object.keys(properties).length > 0) json.properties = properties
  if (required.length > 0) json.required = required
  return { json }
}

/** A map from strings to values. */
export function map<R, N>(
  values: Schema<R, N>,
  options: ObjectOptions = {},
): Schema<Readonly<Record<string, R>>, Readonly<Record<string, N>>> {
  return { json: { ...schemaWith('object', options), additionalProperties: values.json } }
}

export function array<R, N>(items: Schema<R, N>, options: ArrayOptions = {}): Schema<readonly R[], readonly N[]> {
  return { json: { ...schemaWith('array', options), items: items.json } }
}

/** An object with unknown fields preserved. */
export function raw(options: SchemaOptions = {}): Schema<JsonObject> {
  return { json: { ...schemaWith('object', options), 'x-kubernetes-preserve-unknown-fields': true } }
}

/** An embedded Kubernetes object of any kind. */
export function embedded(options: SchemaOptions = {}): Schema<EmbeddedObject> {
  const json: JsonSchema = {
    ...schemaWith('object', options),
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }
  return { json }
}

/** A value that may be null. */
export function nullable<R, N>(schema: Schema<R, N>): Schema<R | null, N | null> {
  return { json: { ...schema.json, nullable: true } }
}

/** The same schema with another description. */
export function described<R, N>(schema: Schema<R, N>, description: string): Schema<R, N> {
  return { json: { description, ...withoutDescription(schema.json) } }
}

/** An optional field. */
export function optional<R, N>(schema: Schema<R, N>): OptionalField<R, N> {
  return { presence: 'optional', schema }
}

/**
 * A field with a default that the server sets. With `required`, the schema also lists it as required, which affects
 * objects that were stored before the default existed.
 */
export function defaulted<R, N>(
  schema: Schema<R, N>,
  value: NoInfer<N>,
  options: { readonly required?: boolean } = {},
): DefaultedField<R, N> {
  return {
    presence: 'defaulted',
    schema: { json: { ...schema.json, default: value as JsonValue } },
    required: options.required === true,
  }
}

type Options = StringOptions & NumberOptions & ArrayOptions & ObjectOptions

function schemaWith(type: string, options: SchemaOptions): JsonSchema {
  return { ...keywords(options), type }
}

function keywords(options: Options): JsonSchema {
  const { rules, listType, listMapKeys, mapType, ...rest } = options
  const json: JsonSchema = rest
  if (listType !== undefined) json['x-kubernetes-list-type'] = listType
  if (listMapKeys !== undefined) json['x-kubernetes-list-map-keys'] = [...listMapKeys]
  if (mapType !== undefined) json['x-kubernetes-map-type'] = mapType
  if (rules !== undefined) json['x-kubernetes-validations'] = [...rules]
  return json
}

function withoutDescription({ description: _, ...json }: JsonSchema): JsonSchema {
  return json
}
