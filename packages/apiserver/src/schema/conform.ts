import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { Field, ListSchema, MapSchema, ScalarType, Schema, SchemaChoice, StructSchema } from '@orrery/kinds/tables'
import {
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  childPath,
  indexPath,
  tooLarge,
} from '@orrery/kinds/values'
import { canonicalBase64 } from './base64.js'
import { fillAlways, isOmitted, zeroValue } from './presence.js'

/** A value that does not match its type, with the message of Go's JSON decoder. */
export class ConformError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConformError'
  }
}

export interface Conformed {
  /** The given value, modified in place. */
  readonly object: JsonObject
  /** Paths of the dropped unknown fields: `spec.containers[0].foo`. */
  readonly unknown: readonly string[]
}

/** The limit of the strict decoder. */
const MAX_UNKNOWN = 100
/**
 * The maximum number of structs, map entries and list items of an object. Each gets defaults, validation and managed
 * fields, so that a million empty ones in 3 MB cost seconds and hundreds of megabytes. With its managed fields an
 * object of this size exceeds etcd's limit.
 */
const MAX_ITEMS = 100_000
const MAX_INT32 = 2 ** 31 - 1
const MIN_INT32 = -(2 ** 31)
const INT64_LIMIT = 2 ** 63
const ZERO_TIME = '0001-01-01T00:00:00Z'
const ZERO_MICRO_TIME = '0001-01-01T00:00:00.000000Z'
const NOTHING: readonly string[] = []

/**
 * Converts a parsed JSON value to what decoding it into a Go type and encoding it again would give: unknown fields are
 * dropped and reported, zero values are dropped or filled in, times, quantities and base64 are normalised. Modifies the
 * value in place, and only where something changes.
 */
export function conform(value: unknown, schema: StructSchema): Conformed {
  if (!isObject(value))
    throw new ConformError(`json: cannot unmarshal ${kindOf(value)} into Go value of type ${schema.goType}`)
  const decoder = new Decoder()
  decoder.struct(value, schema)
  if (decoder.error !== undefined) throw decoder.error
  return { object: value, unknown: decoder.unknown ?? NOTHING }
}

/** Throws a 413 for a value with too many items for `conform`, without modifying it. */
export function refuseManyItems(value: JsonValue, schema: Schema): void {
  let items = 0
  const look = (value: JsonValue, schema: Schema): void => {
    if (schema.type === 'list' && Array.isArray(value)) {
      if (schema.items.type !== 'struct') items += value.length
      checkCount(items)
      for (const item of value) if (item === null || typeof item === 'object') look(item, schema.items)
      return
    }
    if (schema.type === 'struct') checkCount(++items)
    if (!isObject(value)) return
    for (const key in value) {
      if (schema.type === 'map') checkCount(++items)
      const inner = schema.type === 'map' ? schema.values : schema.type === 'struct' && schema.fields.get(key)?.schema
      const child = value[key] as JsonValue
      if (inner && typeof child === 'object' && child !== null) look(child, inner)
    }
  }
  look(value, schema)
}

function checkCount(items: number): void {
  if (items <= MAX_ITEMS) return
  throw tooLarge(`Request entity too large: the object has more than ${MAX_ITEMS} items`)
}

class Decoder {
  /** The first mismatch. Decoding continues, since a value that cannot be parsed takes precedence. */
  error: ConformError | undefined
  unknown: string[] | undefined
  /**
   * The current path: a field of a struct, an index of a list or a key of a map; `#owners` has the struct of a field.
   */
  readonly #path: (Field | number | string)[] = []
  readonly #owners: (StructSchema | undefined)[] = []
  /** Go reports no unknown fields inside a type with its own decoder. */
  #isSilent = false
  #items = 0

  struct(object: JsonObject, schema: StructSchema): void {
    checkCount(++this.#items)
    const { fields } = schema
    for (const key in object) {
      const field = fields.get(key)
      if (field === undefined) {
        this.#noteUnknown(key)
        delete object[key]
        continue
      }
      const value = object[key] as JsonValue
      if (field.schema.type === 'string' && typeof value === 'string') {
        if (value === '' && field.presence === 'nonzero') delete object[key]
        continue
      }
      const decoded = value === null ? this.#nullField(field) : this.#field(value, field, schema)
      if (isOmitted(field, decoded)) delete object[key]
      else if (decoded !== value) object[key] = decoded
    }
    fillAlways(object, schema)
  }

  /** Go leaves a value unchanged when it decodes null, so it stays zero; a pointer becomes nil. */
  #nullField(field: Field): JsonValue {
    return field.pointer === true ? null : zeroValue(field.schema)
  }

  #field(value: JsonValue, field: Field, owner: StructSchema): JsonValue {
    this.#enter(field, owner)
    const decoded = this.#value(value, field.schema)
    this.#leave()
    // Storage does not distinguish an empty list or map from none.
    const isHollow =
      field.presence === 'always' && typeof decoded === 'object' && decoded !== null && isHollowIn(field, decoded)
    return isHollow ? null : decoded
  }

  #value(value: JsonValue, schema: Field['schema']): JsonValue {
    switch (schema.type) {
      case 'struct':
        if (!isObject(value)) return this.#mismatch(value, schema.goType)
        this.struct(value, schema)
        return value
      case 'list':
        return Array.isArray(value) ? this.#list(value, schema) : this.#mismatch(value, schema.goType)
      case 'map':
        return isObject(value) ? this.#map(value, schema) : this.#mismatch(value, schema.goType)
      case 'any':
        return schema.choice === undefined ? value : this.#choice(value, schema.choice)
      default:
        return this.#scalar(value, schema.type, schema.goType)
    }
  }

  #list(list: JsonValue[], schema: ListSchema): JsonValue {
    const { items } = schema
    const isStrings = items.type === 'string'
    if (items.type !== 'struct') {
      this.#items += list.length
      checkCount(this.#items)
    }
    for (let index = 0; index < list.length; index++) {
      const value = list[index] as JsonValue
      if (isStrings && typeof value === 'string') continue
      this.#enter(index, undefined)
      const decoded = value === null ? this.#zeroElement(items) : this.#value(value, items)
      this.#leave()
      if (decoded !== value) list[index] = decoded
    }
    return list
  }

  #map(map: JsonObject, schema: MapSchema): JsonValue {
    const { values } = schema
    const isStrings = values.type === 'string'
    for (const key in map) {
      checkCount(++this.#items)
      const value = map[key] as JsonValue
      if (isStrings && typeof value === 'string') continue
      this.#enter(key, undefined)
      const decoded = value === null ? this.#zeroElement(values) : this.#value(value, values)
      this.#leave()
      if (decoded !== value) map[key] = decoded
    }
    return map
  }

  /** A null in a list or map becomes a zero value; bytes become empty. */
  #zeroElement(schema: Field['schema']): JsonValue {
    if (schema.type === 'bytes') return ''
    if (schema.type === 'struct') checkCount(++this.#items)
    return zeroValue(schema)
  }

  #scalar(value: JsonValue, type: ScalarType, goType: string | undefined): JsonValue {
    switch (type) {
      case 'string':
      case 'duration':
        return typeof value === 'string' ? value : this.#mismatch(value, goType)
      case 'boolean':
        return typeof value === 'boolean' ? value : this.#mismatch(value, goType)
      case 'int32':
        return this.#integer(value, MIN_INT32, MAX_INT32, goType)
      case 'int64':
      case 'integer':
        return this.#integer(value, -INT64_LIMIT, INT64_LIMIT, goType)
      case 'number':
        return typeof value === 'number' ? value : this.#mismatch(value, goType)
      case 'intOrString':
        return typeof value === 'string' ? value : this.#parsedInteger(value)
      case 'quantity':
        return parsed(canonicalQuantity, quantityText(value))
      case 'time':
      case 'microTime':
        return this.#time(value, type)
      case 'bytes':
        return this.#bytes(value, goType)
    }
  }

  #integer(value: JsonValue, least: number, most: number, goType: string | undefined): JsonValue {
    if (typeof value !== 'number') return this.#mismatch(value, goType)
    if (Number.isInteger(value) && value >= least && value <= most) return Object.is(value, -0) ? 0 : value
    return this.#mismatch(value, goType, `number ${value}`)
  }

  /** An IntOrString has its own decoder, whose failure ends decoding. */
  #parsedInteger(value: JsonValue): JsonValue {
    const before = this.error
    this.error = undefined
    const decoded = this.#integer(value, MIN_INT32, MAX_INT32, 'int32')
    const failed: ConformError | undefined = this.error
    if (failed !== undefined) throw failed
    this.error = before
    return decoded
  }

  #time(value: JsonValue, type: 'time' | 'microTime'): JsonValue {
    if (typeof value !== 'string') throw this.#typeError(kindOf(value), 'string')
    const time = parsed(type === 'time' ? canonicalTime : canonicalMicroTime, value)
    return time === ZERO_TIME || time === ZERO_MICRO_TIME ? null : time
  }

  #bytes(value: JsonValue, goType: string | undefined): JsonValue {
    if (typeof value !== 'string') return this.#mismatch(value, goType)
    const canonical = canonicalBase64(value)
    if (typeof canonical === 'string') return canonical
    this.error ??= new ConformError(`illegal base64 data at input byte ${canonical}`)
    return value
  }

  #choice(value: JsonValue, { or, schema: inner }: SchemaChoice): JsonValue {
    const wasSilent = this.#isSilent
    this.#isSilent = true
    let decoded: JsonValue = null
    if (isObject(value)) {
      this.struct(value, inner)
      decoded = value
    } else if (or === 'boolean') {
      if (typeof value !== 'boolean') throw new ConformError('boolean or JSON schema expected')
      decoded = value
    } else if (Array.isArray(value)) {
      const items = or === 'schemas' ? inner : STRING
      const list = this.#list(value, { type: 'list', items, topology: 'atomic', keys: [] }) as JsonValue[]
      decoded = list.length === 0 ? null : list
    }
    this.#isSilent = wasSilent
    return decoded
  }

  #mismatch(value: JsonValue, goType: string | undefined, what = kindOf(value)): JsonValue {
    this.error ??= this.#typeError(what, goType)
    return value
  }

  #typeError(what: string, goType: string | undefined): ConformError {
    const names: string[] = []
    let struct = ''
    for (let index = 0; index < this.#path.length; index++) {
      const step = this.#path[index] as Field | number | string
      if (typeof step !== 'object') continue
      names.push(...(step.inlined ?? NOTHING), step.name)
      const goName = this.#owners[index]?.goType ?? ''
      struct = goName.slice(goName.indexOf('.') + 1)
    }
    const where = names.length === 0 ? 'Go value' : `Go struct field ${struct}.${names.join('.')}`
    return new ConformError(`json: cannot unmarshal ${what} into ${where} of type ${goType}`)
  }

  #noteUnknown(key: string): void {
    if (this.#isSilent) return
    this.unknown ??= []
    if (this.unknown.length >= MAX_UNKNOWN) return
    let path = ''
    for (const step of this.#path) {
      if (typeof step === 'number') path = indexPath(path, step)
      else path = childPath(path, typeof step === 'string' ? step : step.name)
    }
    this.unknown.push(childPath(path, key))
  }

  #enter(step: Field | number | string, owner: StructSchema | undefined): void {
    this.#path.push(step)
    this.#owners.push(owner)
  }

  #leave(): void {
    this.#path.pop()
    this.#owners.pop()
  }
}

/** The failure of a type with its own decoder ends decoding. */
function parsed(read: (text: string) => string, text: string): string {
  try {
    return read(text)
  } catch (error) {
    throw new ConformError((error as Error).message)
  }
}

const STRING = { type: 'string', goType: 'string' } as const

function isHollowIn(field: Field, value: JsonValue[] | JsonObject): boolean {
  if (field.schema.type === 'list') return (value as JsonValue[]).length === 0
  if (field.schema.type !== 'map') return false
  for (const _ in value) return false
  return true
}

function quantityText(value: JsonValue): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return value === null ? 'null' : typeof value
}
