/** The kinds of types, for checking and for reading JSON. */
export type CelKind =
  | 'dyn'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  /** The type of types. */
  | 'type'
  | 'optional'
  /** A struct with known fields. */
  | 'object'
  /** A value of a library, such as a quantity. */
  | 'opaque'
  /** A type variable of an overload, or one being inferred. */
  | 'param'
  /** The type of an expression with a reported error. */
  | 'error'

export interface CelType {
  readonly kind: CelKind
  /** The name in messages; types of one kind and name with equal parameters are equal. */
  readonly name: string
  readonly params: readonly CelType[]
  /** The fields of an `object`, by their names in expressions. May be lazy, so that types can be recursive. */
  fields?(): ReadonlyMap<string, CelField>
  readonly data?: CelData
}

export interface CelField {
  /** The name in JSON; expressions use an escaped form if it is not an identifier. */
  readonly name: string
  readonly type: CelType
}

/** The JSON form of values of a type, and their maximum size. Not part of the type's identity. */
export interface CelData {
  /** The maximum characters, bytes, items or entries of a value: bounds the cost of an expression. */
  readonly maxElements?: number
  readonly listType?: 'atomic' | 'set' | 'map'
  /** The key fields of a `map` list, by JSON name. */
  readonly keys?: readonly string[]
  readonly nullable?: boolean
  /** A timestamp with only a date. */
  readonly dateOnly?: boolean
  readonly intOrString?: boolean
  /** The minimum bytes of a value in JSON: bounds how many there can be in a request. */
  readonly minBytes?: number
}

const simple = (kind: CelKind, name: string = kind): CelType => ({ kind, name, params: [] })

export const dynType = simple('dyn')
export const nullType = simple('null', 'null_type')
export const boolType = simple('bool')
export const intType = simple('int')
export const uintType = simple('uint')
export const doubleType = simple('double')
export const stringType = simple('string')
export const bytesType = simple('bytes')
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp')
export const durationType = simple('duration', 'google.protobuf.Duration')
export const errorType = simple('error', '!error!')
/** `type` with nothing known of the type it names. */
export const typeType = simple('type')

export function listType(element: CelType, data?: CelData): CelType {
  return { kind: 'list', name: 'list', params: [element], ...(data && { data }) }
}

export function mapType(key: CelType, value: CelType, data?: CelData): CelType {
  return { kind: 'map', name: 'map', params: [key, value], ...(data && { data }) }
}

export function optionalType(value: CelType): CelType {
  return { kind: 'optional', name: 'optional_type', params: [value] }
}

export function typeTypeOf(type: CelType): CelType {
  return { kind: 'type', name: 'type', params: [type] }
}

export function paramType(name: string): CelType {
  return simple('param', name)
}

export function opaqueType(name: string): CelType {
  return simple('opaque', name)
}

/** A struct. `fields` is by the names in expressions: see `escapeProperty`. */
export function objectType(
  name: string,
  fields: ReadonlyMap<string, CelField> | (() => ReadonlyMap<string, CelField>),
  data?: CelData,
): CelType {
  const lookup = typeof fields === 'function' ? fields : () => fields
  return { kind: 'object', name, params: [], fields: lookup, ...(data && { data }) }
}

/** A field by its name in an expression: reserved words may be written as they are, or escaped. */
export function fieldOf(type: CelType, name: string): CelField | undefined {
  const fields = type.fields?.()
  return fields?.get(name) ?? fields?.get(`__${name}__`)
}

/** The same type with other data facts. */
export function withData(type: CelType, data: CelData): CelType {
  return { ...type, data: { ...type.data, ...data } }
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false
  return a.params.every((param, index) => sameType(param, b.params[index] as CelType))
}

/** A type as in messages: `list(int)`, `map(string, dyn)`. */
export function formatType(type: CelType): string {
  if (type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'null') return type.kind
  if (type.params.length === 0) return type.name
  return `${type.name}(${type.params.map(formatType).join(', ')})`
}

/** A call as in messages: `(int, string)` or `string.(int)`. */
export function formatSignature(args: readonly CelType[], member: boolean): string {
  const shown = args.map(formatType)
  return member ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`
}
