import type { JsonSchema } from '@orrery/cel/schema'

/**
 * An OpenAPI v3 schema and the types of its values: `Read` with defaults set by the server, `New` as clients write
 * them.
 */
export interface Schema<Read, New = Read> {
  readonly json: JsonSchema
  /** Never set: carries a type only. */
  readonly read?: Read
  /** Never set: carries a type only. */
  readonly draft?: New
}

/** An optional field. */
export interface OptionalField<Read, New = Read> {
  readonly presence: 'optional'
  readonly schema: Schema<Read, New>
}

/** An optional field with a default. */
export interface DefaultedField<Read, New = Read> {
  readonly presence: 'defaulted'
  readonly schema: Schema<Read, New>
  /** Whether the schema also lists the field as required. */
  readonly required: boolean
}

/** A field of an object. A plain schema is a required field. */
export type Field = Schema<unknown> | OptionalField<unknown> | DefaultedField<unknown>

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Field>>

/** The type of values that a server returns. */
export type Read<S> = S extends Schema<infer R, infer _N> ? R : never

/** The type of values that a client writes. */
export type New<S> = S extends Schema<infer _R, infer N> ? N : never

/** Flattens an object type, so that editors show its members. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

type SchemaOf<F> = F extends { readonly schema: infer S } ? S : F
type MayLack<F, Presence> = F extends { readonly presence: Presence } ? true : false

/** The type of an object with these fields that a server returns. */
export type ReadFields<F extends Fields> = Flat<
  { readonly [K in keyof F as MayLack<F[K], 'optional'> extends true ? never : K]: Read<SchemaOf<F[K]>> } & {
    readonly [K in keyof F as MayLack<F[K], 'optional'> extends true ? K : never]?: Read<SchemaOf<F[K]>>
  }
>

/** The type of an object with these fields that a client writes. */
export type NewFields<F extends Fields> = Flat<
  {
    readonly [K in keyof F as MayLack<F[K], 'optional' | 'defaulted'> extends true ? never : K]: New<SchemaOf<F[K]>>
  } & {
    readonly [K in keyof F as MayLack<F[K], 'optional' | 'defaulted'> extends true ? K : never]?: New<SchemaOf<F[K]>>
  }
>

/** The schema of a field's values. */
export function schemaOf(field: Field): JsonSchema {
  return 'presence' in field ? field.schema.json : field.json
}

/** Whether a schema with this field lists it as required. */
export function isRequired(field: Field): boolean {
  if (!('presence' in field)) return true
  return field.presence === 'defaulted' && field.required
}
