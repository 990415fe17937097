import type { JsonSchema } from '@orrery/kube/structural'

/**
 * An OpenAPI v3 schema, and the types of the values it describes: as they are read (`Read`, with defaults filled in)
 * and as they are written (`New`).
 */
export interface Schema<Read, New = Read> {
  readonly json: JsonSchema
  /** Never there: only carries a type. */
  readonly read?: Read
  /** Never there: only carries a type. */
  readonly draft?: New
}

/** A field that may be left out. */
export interface OptionalField<Read, New = Read> {
  readonly presence: 'optional'
  readonly schema: Schema<Read, New>
}

/** A field that may be left out and is filled in by the server. */
export interface DefaultedField<Read, New = Read> {
  readonly presence: 'defaulted'
  readonly schema: Schema<Read, New>
  /** The schema calls for the field as well: without the default an object would be refused. */
  readonly required: boolean
}

/** A field of an object: a bare schema is one that must be there. */
export type Field = Schema<unknown> | OptionalField<unknown> | DefaultedField<unknown>

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Field>>

/** The type of a schema's values as a server gives them. */
export type Read<S> = S extends Schema<infer R, infer _N> ? R : never

/** The type of a schema's values as a server takes them. */
export type New<S> = S extends Schema<infer _R, infer N> ? N : never

/** An object type with its members written out, so that editors show them. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

type SchemaOf<F> = F extends { readonly schema: infer S } ? S : F
type MayLack<F, Presence> = F extends { readonly presence: Presence } ? true : false

/** The type of an object with these fields as a server gives it. */
export type ReadFields<F extends Fields> = Flat<
  { [K in keyof F as MayLack<F[K], 'optional'> extends true ? never : K]: Read<SchemaOf<F[K]>> } & {
    [K in keyof F as MayLack<F[K], 'optional'> extends true ? K : never]?: Read<SchemaOf<F[K]>>
  }
>

/** The type of an object with these fields as a server takes it. */
export type NewFields<F extends Fields> = Flat<
  { [K in keyof F as MayLack<F[K], 'optional' | 'defaulted'> extends true ? never : K]: New<SchemaOf<F[K]>> } & {
    [K in keyof F as MayLack<F[K], 'optional' | 'defaulted'> extends true ? K : never]?: New<SchemaOf<F[K]>>
  }
>

/** The schema of a field's values. */
export function schemaOf(field: Field): JsonSchema {
  return 'presence' in field ? field.schema.json : field.json
}

/** Whether a schema with this field calls for it. */
export function isRequired(field: Field): boolean {
  if (!('presence' in field)) return true
  return field.presence === 'defaulted' && field.required
}
