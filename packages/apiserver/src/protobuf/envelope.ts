import type { JsonObject, KubeObject } from '@orrery/kinds'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import { badRequest, parseGroupVersion } from '@orrery/kinds/values'
import { BYTES, ProtobufError, Reader, Writer } from '@orrery/kube/protobuf'
import { decodeMessage } from './decode.js'
import { writeStruct } from './encode.js'
import { messageOf } from './message.js'

/** The prefix of every Kubernetes protobuf body. */
const MAGIC = Buffer.from('k8s\0', 'latin1')

/** `runtime.Unknown`: the type of the message inside. */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Buffer
}

/** Returns whether bytes start like a Kubernetes protobuf body. */
export function isProtobuf(bytes: Buffer): boolean {
  return bytes.length >= MAGIC.length && bytes.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) === 0
}

/**
 * Decodes a request body into the object it would be as JSON. `expected` is the kind for clients that omit it. Throws a
 * 400 `StatusError` for bytes that are not a message of a known kind.
 */
export function decodeProtobuf(bytes: Buffer, expected?: { apiVersion: string; kind: string }): JsonObject {
  try {
    const envelope = openEnvelope(bytes)
    const apiVersion = envelope.apiVersion || expected?.apiVersion || ''
    const kind = envelope.kind || expected?.kind || ''
    if (kind === '') throw new ProtobufError("Object 'Kind' is missing in the protobuf envelope")
    if (apiVersion === '') throw new ProtobufError("Object 'apiVersion' is missing in the protobuf envelope")
    const schema = schemaOf(apiVersion, kind)
    if (schema === undefined) {
      throw new ProtobufError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
    }
    const { apiVersion: _apiVersion, kind: _kind, ...fields } = decodeMessage(envelope.raw, schema)
    return { kind, apiVersion, ...fields }
  } catch (error) {
    throw error instanceof ProtobufError ? badRequest(error.message) : error
  }
}

/** Parses the envelope without the message. Throws `ProtobufError`. */
export function openEnvelope(bytes: Buffer): Envelope {
  if (!isProtobuf(bytes)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...MAGIC].join(' ')}]`,
    )
  }
  const reader = new Reader(bytes.subarray(MAGIC.length))
  if (reader.isDone) throw new ProtobufError('empty body')
  let apiVersion = ''
  let kind = ''
  let raw: Buffer = Buffer.alloc(0)
  while (!reader.isDone) {
    const tag = reader.tag()
    if (tag === ((1 << 3) | BYTES)) {
      const outerEnd = reader.enter()
      while (!reader.isDone) {
        const inner = reader.tag()
        if (inner === ((1 << 3) | BYTES)) apiVersion = reader.string()
        else if (inner === ((2 << 3) | BYTES)) kind = reader.string()
        else reader.skip(inner & 7)
      }
      reader.leave(outerEnd)
    } else if (tag === ((2 << 3) | BYTES)) raw = reader.bytes()
    else reader.skip(tag & 7)
  }
  return { apiVersion, kind, raw }
}

/**
 * Encodes an object with its envelope. Returns undefined if its kind has no protobuf form, such as custom resources and
 * tables. `schema` saves a lookup of the kind.
 */
export function encodeProtobuf(
  object: KubeObject | JsonObject,
  schema = schemaOf(String(object.apiVersion), String(object.kind)),
): Buffer | undefined {
  if (schema === undefined || messageOf(schema).slots.length === 0) return undefined
  const writer = new Writer()
  writeEnvelopeEnd(writer)
  const beforeRaw = writer.length
  writeStruct(writer, object as JsonObject, schema)
  writer.block(RAW, beforeRaw)
  writeEnvelopeStart(writer, object)
  return writer.finish()
}

/** The field of an envelope with the message. */
export const RAW = 2

/** The unused contentType and contentEncoding are written too. */
export function writeEnvelopeEnd(writer: Writer): void {
  writer.string(4, '')
  writer.string(3, '')
}

export function writeEnvelopeStart(writer: Writer, object: KubeObject | JsonObject): void {
  const beforeType = writer.length
  writer.string(2, String(object.kind))
  writer.string(1, String(object.apiVersion))
  writer.block(1, beforeType)
  writer.raw(MAGIC)
}

/**
 * Encodes one frame of a watch stream: a length of four bytes, then a `WatchEvent` without an envelope. `object` has
 * its own, as `encodeProtobuf` writes it.
 */
export function encodeWatchFrame(type: string, object: Uint8Array): Buffer {
  const writer = new Writer(object.length + 64)
  writer.bytes(1, object)
  writer.block(2, 0)
  writer.string(1, type)
  const header = Buffer.alloc(4)
  header.writeUInt32BE(writer.length)
  writer.raw(header)
  return writer.finish()
}

/** Returns the schema of a kind. */
export function schemaOf(apiVersion: string, kind: string): StructSchema | undefined {
  const groupVersion = parseGroupVersion(apiVersion)
  return groupVersion && kindSchema(groupVersion.group, groupVersion.version, kind)
}
