import type { JsonObject, JsonValue } from '@orrery/kinds'
import { formatYaml } from '../yaml/write.js'
import type { DocumentParts } from './document.js'
import { ReverseWriter } from './reverse-writer.js'

/** Encodes one JSON value as a field of a protobuf message. */
type FieldEncoder = (out: ReverseWriter, field: number, value: JsonValue) => void

/** The fields of a message by their JSON names, in the order of their numbers. */
interface MessageType {
  readonly fields: readonly (readonly [name: string, number: number, encode: FieldEncoder])[]
  /** The field for `x-…` properties. */
  readonly extensions?: number
}

/**
 * Encodes a Swagger 2.0 document as gnostic's `openapi.v2.Document`, which kubectl requests. It supports what
 * `v2Document` and the definitions of custom resources contain, and omits everything else.
 */
export function encodeDocument(document: JsonObject): Buffer {
  const out = new ReverseWriter()
  writeFields(out, DOCUMENT, document)
  return out.finish()
}

/** Encodes a document piece by piece. Protobuf merges messages that follow each other, so each piece is a document. */
export function* protobufPieces({ head, paths, definitions }: DocumentParts): Generator<Buffer> {
  yield encodeDocument(head)
  for (const [name, item] of paths) yield encodeDocument({ paths: { [name]: item } })
  for (const [name, schema] of definitions) yield encodeDocument({ definitions: { [name]: schema } })
}

function writeFields(out: ReverseWriter, type: MessageType, value: JsonObject): void {
  if (type.extensions !== undefined) writeExtensions(out, type.extensions, value)
  for (let index = type.fields.length - 1; index >= 0; index--) {
    const [name, number, encode] = type.fields[index]!
    const field = Object.hasOwn(value, name) ? value[name] : undefined
    if (field !== undefined && field !== null) encode(out, number, field)
  }
}

function writeExtensions(out: ReverseWriter, number: number, value: JsonObject): void {
  for (const name of Object.keys(value).reverse()) {
    if (!name.startsWith('x-')) continue
    const before = out.length
    any(out, 2, value[name] ?? null)
    out.text(1, name)
    out.endMessage(number, before)
  }
}

const text: FieldEncoder = (out, field, value) => {
  if (typeof value === 'string') out.text(field, value)
}
const boolean: FieldEncoder = (out, field, value) => {
  if (typeof value === 'boolean') out.boolean(field, value)
}
const integer: FieldEncoder = (out, field, value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) out.integer(field, value)
}
const double: FieldEncoder = (out, field, value) => {
  if (typeof value === 'number') out.double(field, value)
}
/** Any value is encoded as YAML. */
const any: FieldEncoder = (out, field, value) => {
  const before = out.length
  out.text(2, formatYaml(value))
  out.endMessage(field, before)
}

function repeated(item: FieldEncoder): FieldEncoder {
  return (out, field, value) => {
    if (!Array.isArray(value)) return
    for (let index = value.length - 1; index >= 0; index--) item(out, field, value[index] ?? null)
  }
}

/** The type is resolved lazily, since schemas contain schemas. */
function message(type: () => MessageType): FieldEncoder {
  return (out, field, value) => {
    if (!isObject(value)) return
    const before = out.length
    writeFields(out, type(), value)
    out.endMessage(field, before)
  }
}

/** Encodes a message with a single field that has no counterpart in JSON. */
function wrapped(inner: number, item: FieldEncoder): FieldEncoder {
  return (out, field, value) => {
    const before = out.length
    item(out, inner, value)
    out.endMessage(field, before)
  }
}

/** Encodes a JSON object with arbitrary keys as a message of `{name, value}` entries. */
function entries(number: number, item: FieldEncoder): FieldEncoder {
  return (out, field, value) => {
    if (!isObject(value)) return
    const before = out.length
    for (const name of Object.keys(value).reverse()) {
      const start = out.length
      item(out, 2, value[name] ?? null)
      out.text(1, name)
      out.endMessage(number, start)
    }
    out.endMessage(field, before)
  }
}

const schema = message(() => SCHEMA)

/** A boolean or a schema. */
const additionalProperties: FieldEncoder = (out, field, value) =>
  typeof value === 'boolean' ? wrapped(2, boolean)(out, field, value) : wrapped(1, schema)(out, field, value)

/** One type or several. */
const types: FieldEncoder = (out, field, value) =>
  wrapped(1, repeated(text))(out, field, Array.isArray(value) ? value : [value])

/** A body parameter, or a path or query parameter. */
const parameter: FieldEncoder = (out, field, value) => {
  const place = isObject(value) ? value.in : undefined
  if (place === 'body')
    wrapped(
      1,
      message(() => BODY_PARAMETER),
    )(out, field, value)
  else if (place === 'query')
    wrapped(
      2,
      wrapped(
        3,
        message(() => QUERY_PARAMETER),
      ),
    )(out, field, value)
  else
    wrapped(
      2,
      wrapped(
        4,
        message(() => PATH_PARAMETER),
      ),
    )(out, field, value)
}

const parametersItem: FieldEncoder = (out, field, value) => {
  const isReference = isObject(value) && value.$ref !== undefined
  if (isReference)
    wrapped(
      2,
      message(() => REFERENCE),
    )(out, field, value)
  else wrapped(1, parameter)(out, field, value)
}

const operation = message(() => OPERATION)

const SCHEMA: MessageType = {
  fields: [
    ['$ref', 1, text],
    ['format', 2, text],
    ['title', 3, text],
    ['description', 4, text],
    ['default', 5, any],
    ['multipleOf', 6, double],
    ['maximum', 7, double],
    ['exclusiveMaximum', 8, boolean],
    ['minimum', 9, double],
    ['exclusiveMinimum', 10, boolean],
    ['maxLength', 11, integer],
    ['minLength', 12, integer],
    ['pattern', 13, text],
    ['maxItems', 14, integer],
    ['minItems', 15, integer],
    ['uniqueItems', 16, boolean],
    ['maxProperties', 17, integer],
    ['minProperties', 18, integer],
    ['required', 19, repeated(text)],
    ['enum', 20, repeated(any)],
    ['additionalProperties', 21, additionalProperties],
    ['type', 22, types],
    ['items', 23, wrapped(1, schema)],
    ['allOf', 24, repeated(schema)],
    ['properties', 25, entries(1, schema)],
    ['discriminator', 26, text],
    ['readOnly', 27, boolean],
    ['example', 30, any],
  ],
  extensions: 31,
}

const REFERENCE: MessageType = { fields: [['$ref', 1, text]] }

const BODY_PARAMETER: MessageType = {
  fields: [
    ['description', 1, text],
    ['name', 2, text],
    ['in', 3, text],
    ['required', 4, boolean],
    ['schema', 5, schema],
  ],
}

const PATH_PARAMETER: MessageType = {
  fields: [
    ['required', 1, boolean],
    ['in', 2, text],
    ['description', 3, text],
    ['name', 4, text],
    ['type', 5, text],
    ['uniqueItems', 19, boolean],
  ],
}

const QUERY_PARAMETER: MessageType = {
  fields: [
    ['required', 1, boolean],
    ['in', 2, text],
    ['description', 3, text],
    ['name', 4, text],
    ['type', 6, text],
    ['uniqueItems', 20, boolean],
  ],
}

const RESPONSE: MessageType = {
  fields: [
    ['description', 1, text],
    ['schema', 2, wrapped(1, schema)],
  ],
}

const OPERATION: MessageType = {
  fields: [
    ['tags', 1, repeated(text)],
    ['description', 3, text],
    ['operationId', 5, text],
    ['produces', 6, repeated(text)],
    ['consumes', 7, repeated(text)],
    ['parameters', 8, repeated(parametersItem)],
    [
      'responses',
      9,
      entries(
        1,
        wrapped(
          1,
          message(() => RESPONSE),
        ),
      ),
    ],
    ['schemes', 10, repeated(text)],
  ],
  extensions: 13,
}

const PATH_ITEM: MessageType = {
  fields: [
    ['get', 2, operation],
    ['put', 3, operation],
    ['post', 4, operation],
    ['delete', 5, operation],
    ['patch', 8, operation],
    ['parameters', 9, repeated(parametersItem)],
  ],
}

const INFO: MessageType = {
  fields: [
    ['title', 1, text],
    ['version', 2, text],
  ],
}

const API_KEY: MessageType = {
  fields: [
    ['type', 1, text],
    ['name', 2, text],
    ['in', 3, text],
    ['description', 4, text],
  ],
}

const DOCUMENT: MessageType = {
  fields: [
    ['swagger', 1, text],
    ['info', 2, message(() => INFO)],
    [
      'paths',
      8,
      entries(
        2,
        message(() => PATH_ITEM),
      ),
    ],
    ['definitions', 9, entries(1, schema)],
    ['parameters', 10, entries(1, parameter)],
    ['security', 12, repeated(entries(1, wrapped(1, repeated(text))))],
    [
      'securityDefinitions',
      13,
      entries(
        1,
        wrapped(
          2,
          message(() => API_KEY),
        ),
      ),
    ],
  ],
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
