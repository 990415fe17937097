import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { Field, ListSchema, MapSchema, ScalarType, Schema, SchemaChoice, StructSchema } from '@orrery/kinds/tables'
import { canonicalQuantity, formatMicroTime, formatTime, ParseError } from '@orrery/kinds/values'
import { BYTES, FIXED64, ProtobufError, Reader, VARINT } from '@orrery/kube/protobuf'
import { parseJson } from '../json/parse.js'
import { fillAlways, isOmitted, zeroValue } from '../schema/presence.js'
import { type Message, messageOf } from './message.js'

const MAX_DEPTH = 1000
/** 0001-01-01 to 9999-12-31, the range of a timestamp. */
const MIN_SECONDS = -62_135_596_800
const MAX_SECONDS = 253_402_300_799

/**
 * Decodes a message into the object that Go would write as JSON. Throws `ProtobufError`, or a 400 for invalid JSON
 * inside.
 */
export function decodeMessage(bytes: Buffer, schema: StructSchema): JsonObject {
  const decoder = new Decoder(new Reader(bytes))
  const object: JsonObject = {}
  decoder.struct(object, schema)
  return object
}

class Decoder {
  readonly #reader: Reader
  #depth = 0

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Decodes everything into an object, which may contain an earlier part of the same message. */
  struct(object: JsonObject, schema: StructSchema): void {
    if (++this.#depth > MAX_DEPTH) throw new ProtobufError(`proto: exceeded max depth of ${MAX_DEPTH}`)
    this.#message(object, messageOf(schema))
    fillAlways(object, schema)
    this.#depth--
  }

  #message(object: JsonObject, message: Message): void {
    const reader = this.#reader
    while (!reader.isDone) {
      const tag = reader.tag()
      const wireType = tag & 7
      const slot = message.byNumber[tag >>> 3]
      if (slot?.field !== undefined) this.#field(object, slot.field, wireType)
      else if (slot?.inline !== undefined) {
        expect(wireType, BYTES, `number ${slot.number}`)
        const outerEnd = reader.enter()
        this.#message(object, slot.inline)
        reader.leave(outerEnd)
      } else reader.skip(wireType)
    }
  }

  #field(object: JsonObject, field: Field, wireType: number): void {
    const { name, schema } = field
    const known = object[name]
    switch (schema.type) {
      case 'list': {
        const list = Array.isArray(known) ? known : []
        this.#list(list, schema, wireType, name)
        if (list.length > 0) object[name] = list
        return
      }
      case 'map': {
        const map = isObject(known) ? known : {}
        this.#entry(map, schema, wireType, name)
        object[name] = map
        return
      }
      case 'struct': {
        const part = isObject(known) ? known : {}
        this.#nested(part, schema, wireType, name)
        object[name] = part
        return
      }
      default: {
        const value = this.#value(schema, wireType, name)
        if (!isOmitted(field, value)) object[name] = value
        else if (known !== undefined) delete object[name]
      }
    }
  }

  #list(list: JsonValue[], schema: ListSchema, wireType: number, name: string): void {
    if (schema.wrapped === true) {
      expect(wireType, BYTES, name)
      const outerEnd = this.#reader.enter()
      this.#wrapped(list, schema, name)
      this.#reader.leave(outerEnd)
    } else this.#items(list, schema, wireType, name)
  }

  #wrapped(list: JsonValue[], schema: ListSchema, name: string): void {
    while (!this.#reader.isDone) {
      const tag = this.#reader.tag()
      if (tag >>> 3 === 1) this.#items(list, schema, tag & 7, name)
      else this.#reader.skip(tag & 7)
    }
  }

  #items(list: JsonValue[], schema: ListSchema, wireType: number, name: string): void {
    const { items } = schema
    if (wireType === BYTES && isPackable(items.type)) {
      const outerEnd = this.#reader.enter()
      while (!this.#reader.isDone) list.push(this.#value(items, VARINT, name))
      this.#reader.leave(outerEnd)
    } else list.push(this.#value(items, wireType, name))
  }

  #entry(map: JsonObject, schema: MapSchema, wireType: number, name: string): void {
    const reader = this.#reader
    expect(wireType, BYTES, name)
    const outerEnd = reader.enter()
    let key = ''
    let value: JsonValue | undefined
    while (!reader.isDone) {
      const tag = reader.tag()
      if (tag >>> 3 === 1) {
        expect(tag & 7, BYTES, name)
        key = reader.string()
      } else if (tag >>> 3 === 2) value = this.#value(schema.values, tag & 7, name)
      else reader.skip(tag & 7)
    }
    reader.leave(outerEnd)
    if (key === '__proto__') throw new ProtobufError(`proto: ${name} must not have the key "__proto__"`)
    map[key] = value ?? zeroElement(schema.values)
  }

  #nested(object: JsonObject, schema: StructSchema, wireType: number, name: string): void {
    expect(wireType, BYTES, name)
    const outerEnd = this.#reader.enter()
    this.struct(object, schema)
    this.#reader.leave(outerEnd)
  }

  #value(schema: Schema, wireType: number, name: string): JsonValue {
    const reader = this.#reader
    switch (schema.type) {
      case 'struct': {
        const object: JsonObject = {}
        this.#nested(object, schema, wireType, name)
        return object
      }
      case 'list': {
        const list: JsonValue[] = []
        this.#list(list, schema, wireType, name)
        return list
      }
      case 'string':
        expect(wireType, BYTES, name)
        return reader.string()
      case 'boolean':
        expect(wireType, VARINT, name)
        return reader.boolean()
      case 'int32':
        expect(wireType, VARINT, name)
        return reader.int32()
      case 'int64':
        expect(wireType, VARINT, name)
        return exact(reader.int64(), name)
      case 'number':
        expect(wireType, FIXED64, name)
        return finite(reader.double(), name)
      case 'bytes':
        expect(wireType, BYTES, name)
        return reader.bytes().toString('base64')
      case 'any':
        return schema.choice === undefined ? this.#raw(wireType, name) : this.#choice(schema.choice, wireType, name)
      default:
        return this.#special(schema.type, wireType, name)
    }
  }

  /** Types that are one JSON value and a small message in protobuf. */
  #special(type: ScalarType | 'map', wireType: number, name: string): JsonValue {
    expect(wireType, BYTES, name)
    const outerEnd = this.#reader.enter()
    const isEmpty = this.#reader.isDone
    const numbers = [0, 0, 0, 0]
    let text = ''
    while (!this.#reader.isDone) {
      const tag = this.#reader.tag()
      const number = tag >>> 3
      if ((tag & 7) === VARINT && number < 4) numbers[number] = this.#reader.int64()
      else if ((tag & 7) === BYTES && number < 4) text = this.#reader.string()
      else this.#reader.skip(tag & 7)
    }
    this.#reader.leave(outerEnd)
    switch (type) {
      case 'quantity':
        return isEmpty ? '0' : parsedQuantity(text)
      case 'intOrString':
        return numbers[1] === 1 ? text : (numbers[2] as number) | 0
      case 'time':
      case 'microTime':
        return isEmpty ? null : timestamp(type, numbers[1] as number, numbers[2] as number, name)
      default:
        throw new ProtobufError(`proto: ${name} has no protobuf form`)
    }
  }

  #raw(wireType: number, name: string): JsonValue {
    expect(wireType, BYTES, name)
    const outerEnd = this.#reader.enter()
    let value: JsonValue = null
    while (!this.#reader.isDone) {
      const tag = this.#reader.tag()
      if (tag >>> 3 === 1) {
        expect(tag & 7, BYTES, name)
        const bytes = this.#reader.bytes()
        value = bytes.length === 0 ? null : (parseJson(bytes).value as JsonValue)
      } else this.#reader.skip(tag & 7)
    }
    this.#reader.leave(outerEnd)
    return value
  }

  #choice({ or, schema }: SchemaChoice, wireType: number, name: string): JsonValue {
    expect(wireType, BYTES, name)
    const outerEnd = this.#reader.enter()
    const schemaNumber = or === 'boolean' ? 2 : 1
    let inner: JsonObject | undefined
    let allows = false
    const list: JsonValue[] = []
    while (!this.#reader.isDone) {
      const tag = this.#reader.tag()
      const number = tag >>> 3
      if (number === schemaNumber) {
        inner ??= {}
        this.#nested(inner, schema, tag & 7, name)
      } else if (number === 1) allows = this.#reader.boolean()
      else if (number === 2) list.push(this.#value(or === 'schemas' ? schema : STRING, tag & 7, name))
      else this.#reader.skip(tag & 7)
    }
    this.#reader.leave(outerEnd)
    if (or === 'boolean') return inner ?? allows
    return list.length > 0 ? list : (inner ?? null)
  }
}

const STRING = { type: 'string' } as const

function expect(wireType: number, expected: number, name: string): void {
  if (wireType !== expected) throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${name}`)
}

function isPackable(type: Schema['type']): boolean {
  return type === 'int32' || type === 'int64' || type === 'boolean'
}

/** A map entry without a value has the zero value. */
function zeroElement(schema: Schema): JsonValue {
  return schema.type === 'bytes' ? '' : zeroValue(schema)
}

function parsedQuantity(text: string): string {
  try {
    return canonicalQuantity(text)
  } catch (error) {
    throw error instanceof ParseError ? new ProtobufError(error.message) : error
  }
}

function timestamp(type: 'time' | 'microTime', seconds: number, nanos: number, name: string): string | null {
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS || nanos < 0 || nanos >= 1e9) {
    throw new ProtobufError(`proto: ${name} is not a time between the years 1 and 9999`)
  }
  if (seconds === MIN_SECONDS && (nanos === 0 || type === 'time')) return null
  return type === 'time' ? formatTime({ seconds, nanos: 0 }) : formatMicroTime({ seconds, nanos })
}

/** JSON numbers are doubles here: an integer beyond 2^53 would change. */
function exact(value: number, name: string): number {
  if (!Number.isSafeInteger(value)) throw new ProtobufError(`proto: ${name} is too large to be kept exactly`)
  return value
}

function finite(value: number, name: string): number {
  if (!Number.isFinite(value)) throw new ProtobufError(`proto: ${name} is not a finite number`)
  return value
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
