import {
  base64Bytes,
  base64Text,
  formatDuration,
  formatTime,
  goTypeName,
  ParseError,
  parseDuration,
  parseTime,
} from '@orrery/kinds/values'
import { escapeProperty } from './escape.js'
import { type CelType, dynType, fieldOf, listType } from './type.js'
import { CelList } from './values/list.js'
import { CelMap } from './values/map.js'
import {
  CelDouble,
  CelDuration,
  CelEvalError,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  intOf,
  noSuchOverload,
} from './values/value.js'

const dynList = listType(dynType)

/** Interprets a JSON value by its declared type. Containers are interpreted lazily. */
export function adapt(raw: unknown, type: CelType): CelValue {
  if (raw === null || raw === undefined) return adaptNull(type)
  switch (type.kind) {
    case 'string':
      if (typeof raw === 'string') return raw
      throw mismatch('string', raw)
    case 'bool':
      if (typeof raw === 'boolean') return raw
      throw mismatch('bool', raw)
    case 'int':
      if (typeof raw === 'number' && Number.isInteger(raw)) return adaptInteger(raw)
      throw mismatch('int', raw)
    case 'double':
      if (typeof raw === 'number') return new CelDouble(raw)
      throw mismatch('float', raw)
    case 'list':
      if (Array.isArray(raw)) return new JsonList(raw, type)
      throw new CelEvalError('invalid data, expected an array for the provided schema with type=array')
    case 'map':
      return new JsonMap(asObject(raw), type.params[1] as CelType)
    case 'object':
      return new JsonObject(asObject(raw), type)
    case 'timestamp':
    case 'duration':
    case 'bytes':
      return adaptText(raw, type)
    default:
      return adaptDynamic(raw, type)
  }
}

/** A JSON value of unknown type. */
function adaptDynamic(raw: unknown, type: CelType): CelValue {
  switch (typeof raw) {
    case 'string':
    case 'boolean':
      return raw
    case 'number':
      return Number.isInteger(raw) ? adaptInteger(raw) : new CelDouble(raw)
    case 'object':
      if (type.data?.intOrString) break
      if (Array.isArray(raw)) return new JsonList(raw, dynList)
      return new JsonMap(raw as Record<string, unknown>, dynType)
  }
  throw new CelEvalError('invalid data, expected XIntOrString value to be either a string or integer')
}

/** Integers beyond 64 bits can only be floating point. */
function adaptInteger(raw: number): CelValue {
  if (Number.isSafeInteger(raw)) return raw
  return Math.abs(raw) < 2 ** 63 ? intOf(BigInt(raw)) : new CelDouble(raw)
}

function adaptNull(type: CelType): CelValue {
  if (type.kind === 'dyn' || type.kind === 'null' || type.data?.nullable) return null
  throw new CelEvalError('invalid data, got null for schema with nullable=false')
}

function adaptText(raw: unknown, type: CelType): CelValue {
  if (typeof raw !== 'string') throw mismatch('string', raw)
  if (type.kind === 'bytes') return base64Bytes(raw)
  try {
    if (type.kind === 'duration') return new CelDuration(parseDuration(raw))
    const { seconds, nanos } = parseTime(type.data?.dateOnly ? `${raw}T00:00:00Z` : raw)
    return new CelTimestamp(seconds, nanos)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const what = type.kind === 'duration' ? 'duration' : `date${type.data?.dateOnly ? '' : '-time'} formatted string`
    throw new CelEvalError(`Invalid ${what} ${raw}: ${error.message}`)
  }
}

function asObject(raw: unknown): Readonly<Record<string, unknown>> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>
  throw new CelEvalError('invalid data, expected a map for the provided schema with type=object')
}

function mismatch(expected: string, raw: unknown): CelEvalError {
  return new CelEvalError(`invalid data, expected ${expected}, got ${goTypeName(raw)}`)
}

/** A JSON array, interpreted lazily by its schema. */
class JsonList extends CelList {
  readonly #raw: readonly unknown[]
  readonly #type: CelType

  constructor(raw: readonly unknown[], type: CelType) {
    super()
    this.#raw = raw
    this.#type = type
  }

  get length(): number {
    return this.#raw.length
  }

  at(index: number): CelValue {
    return adapt(this.#raw[index], this.#type.params[0] as CelType)
  }

  override get listType(): 'atomic' | 'set' | 'map' {
    return this.#type.data?.listType ?? 'atomic'
  }

  override get keys(): readonly string[] {
    return this.#type.data?.keys ?? []
  }

  toJson(): readonly unknown[] {
    return this.#raw
  }
}

/** A JSON object whose keys are data. */
class JsonMap extends CelMap {
  readonly #raw: Readonly<Record<string, unknown>>
  readonly #valueType: CelType

  constructor(raw: Readonly<Record<string, unknown>>, valueType: CelType) {
    super()
    this.#raw = raw
    this.#valueType = valueType
  }

  get size(): number {
    return Object.keys(this.#raw).length
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined
    return this.field(key)
  }

  override field(name: string): CelValue | undefined {
    return Object.hasOwn(this.#raw, name) ? adapt(this.#raw[name], this.#valueType) : undefined
  }

  keys(): Iterable<CelValue> {
    return Object.keys(this.#raw)
  }

  toJson(): Readonly<Record<string, unknown>> {
    return this.#raw
  }
}

/** A JSON object with the fields of a struct. Unknown fields are hidden; a null field counts as absent. */
export class JsonObject extends CelMap {
  readonly #raw: Readonly<Record<string, unknown>>
  readonly #type: CelType

  constructor(raw: Readonly<Record<string, unknown>>, type: CelType) {
    super()
    this.#raw = raw
    this.#type = type
  }

  get size(): number {
    return Object.keys(this.#raw).length
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') throw noSuchOverload()
    return this.field(key)
  }

  override field(name: string): CelValue | undefined {
    const field = fieldOf(this.#type, name)
    if (field === undefined || !Object.hasOwn(this.#raw, field.name)) return undefined
    const value = this.#raw[field.name]
    return value === null || value === undefined ? undefined : adapt(value, field.type)
  }

  *keys(): IterableIterator<CelValue> {
    const fields = this.#type.fields?.()
    for (const name of Object.keys(this.#raw)) {
      const escaped = escapeProperty(name)
      if (escaped !== undefined && fields?.has(escaped)) yield escaped
    }
  }

  toJson(): Readonly<Record<string, unknown>> {
    return this.#raw
  }
}

/** A value as JSON, for messages and results. Durations and times are strings; integers beyond 2^53 are too. */
export function toJson(value: CelValue): unknown {
  if (value instanceof JsonList || value instanceof JsonMap || value instanceof JsonObject) return value.toJson()
  if (value instanceof CelList) return [...value].map(toJson)
  if (value instanceof CelMap) {
    return Object.fromEntries([...value.keys()].map((key) => [String(toJson(key)), toJson(value.find(key) ?? null)]))
  }
  if (value instanceof CelDouble) return value.value
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof CelUint) return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : `${value.value}`
  if (value instanceof CelDuration) return formatDuration(value.nanos)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof Uint8Array) return base64Text(value)
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value)
  if (value instanceof CelTypeValue || value instanceof CelOpaque) return value.type.name
  return value
}

/** RFC 3339 with as many decimals as there are. */
export function formatTimestamp({ seconds, nanos }: CelTimestamp): string {
  const whole = formatTime({ seconds, nanos })
  if (nanos === 0) return whole
  return `${whole.slice(0, -1)}.${String(nanos).padStart(9, '0').replace(/0+$/, '')}Z`
}
