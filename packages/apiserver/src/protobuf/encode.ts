import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { Field, ListSchema, MapSchema, Schema, SchemaChoice, StructSchema } from '@orrery/kinds/tables'
import { parseMicroTime, parseTime } from '@orrery/kinds/values'
import { FIXED64, Writer } from '@orrery/kube/protobuf'
import { type Message, messageOf } from './message.js'

/** Encodes an object of a known kind as its protobuf message, with the same bytes as Go. */
export function encodeMessage(object: JsonObject, schema: StructSchema): Buffer {
  const writer = new Writer()
  writeStruct(writer, object, schema)
  return writer.finish()
}

export function writeStruct(writer: Writer, object: JsonObject, schema: StructSchema): void {
  writeMessage(writer, object, messageOf(schema))
}

function writeMessage(writer: Writer, object: JsonObject, { slots }: Message): void {
  for (let index = slots.length - 1; index >= 0; index--) {
    const { number, field, inline } = slots[index] as Message['slots'][number]
    if (field !== undefined) writeField(writer, number, object[field.name], field)
    else if (inline !== undefined) {
      const before = writer.length
      writeMessage(writer, object, inline)
      writer.block(number, before)
    }
  }
}

/** Go writes values that are not pointers even if they are zero; clients expect that. */
export function writeField(writer: Writer, number: number, value: JsonValue | undefined, field: Field): void {
  const { schema } = field
  if (value === undefined || value === null) {
    if (field.pointer !== true) writeZero(writer, number, schema)
  } else if (schema.type === 'list') writeList(writer, number, value as JsonValue[], schema)
  else if (schema.type === 'map') writeMap(writer, number, value as JsonObject, schema)
  else writeValue(writer, number, value, schema)
}

function writeZero(writer: Writer, number: number, schema: Schema): void {
  switch (schema.type) {
    case 'list':
    case 'map':
    case 'bytes':
      return
    case 'string':
      writer.string(number, '')
      return
    case 'boolean':
    case 'int32':
    case 'int64':
      writer.integer(number, 0)
      return
    case 'struct':
      writeValue(writer, number, {}, schema)
      return
    case 'quantity':
      writeValue(writer, number, '0', schema)
      return
    case 'intOrString':
      writeValue(writer, number, 0, schema)
      return
    default:
      writer.block(number, writer.length)
  }
}

function writeList(writer: Writer, number: number, list: readonly JsonValue[], schema: ListSchema): void {
  const before = writer.length
  const itemNumber = schema.wrapped === true ? 1 : number
  for (let index = list.length - 1; index >= 0; index--) {
    writeValue(writer, itemNumber, list[index] as JsonValue, schema.items)
  }
  if (schema.wrapped === true) writer.block(number, before)
}

function writeMap(writer: Writer, number: number, map: JsonObject, schema: MapSchema): void {
  const keys = Object.keys(map).sort()
  for (let index = keys.length - 1; index >= 0; index--) {
    const key = keys[index] as string
    const before = writer.length
    writeValue(writer, 2, map[key] as JsonValue, schema.values)
    writer.string(1, key)
    writer.block(number, before)
  }
}

function writeValue(writer: Writer, number: number, value: JsonValue, schema: Schema): void {
  const before = writer.length
  switch (schema.type) {
    case 'string':
    case 'duration':
      writer.string(number, value as string)
      return
    case 'boolean':
      writer.integer(number, value === true ? 1 : 0)
      return
    case 'int32':
    case 'int64':
    case 'integer':
      writer.integer(number, value as number)
      return
    case 'number':
      writer.double(value as number)
      writer.tag(number, FIXED64)
      return
    case 'bytes':
      writer.bytes(number, Buffer.from((value as string | null) ?? '', 'base64'))
      return
    case 'list':
      writeList(writer, number, value as JsonValue[], schema)
      return
    case 'map':
      writeMap(writer, number, value as JsonObject, schema)
      return
    case 'struct':
      writeStruct(writer, value as JsonObject, schema)
      break
    case 'any':
      if (schema.choice !== undefined) writeChoice(writer, value, schema.choice)
      else if (value !== null) writer.string(1, JSON.stringify(value))
      break
    case 'quantity':
      writer.string(1, value as string)
      break
    case 'intOrString':
      writeIntOrString(writer, value)
      break
    case 'time':
    case 'microTime':
      if (value !== null) writeTime(writer, value as string, schema.type)
      break
  }
  writer.block(number, before)
}

function writeIntOrString(writer: Writer, value: JsonValue): void {
  const isText = typeof value === 'string'
  writer.string(3, isText ? value : '')
  writer.integer(2, isText ? 0 : (value as number))
  writer.integer(1, isText ? 1 : 0)
}

function writeTime(writer: Writer, text: string, type: 'time' | 'microTime'): void {
  const time = type === 'time' ? parseTime(text) : parseMicroTime(text)
  writer.integer(2, type === 'time' ? 0 : time.nanos)
  writer.integer(1, time.seconds)
}

function writeChoice(writer: Writer, value: JsonValue, { or, schema }: SchemaChoice): void {
  if (Array.isArray(value)) {
    for (let index = value.length - 1; index >= 0; index--) {
      const item = value[index] as JsonValue
      if (or === 'strings') writer.string(2, item as string)
      else {
        const before = writer.length
        writeStruct(writer, item as JsonObject, schema)
        writer.block(2, before)
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    const before = writer.length
    writeStruct(writer, value, schema)
    writer.block(or === 'boolean' ? 2 : 1, before)
  }
  if (or === 'boolean') writer.integer(1, value === false ? 0 : 1)
}
