import { Buffer, isUtf8 } from 'node:buffer'
import { ProtobufError, Reader, type Writer } from '@orrery/kube/protobuf'
import { CodecError } from './codec-error.js'

/** Turns every error of the wire format into a `CodecError`. */
export function decoded<T>(bytes: Uint8Array, read: (reader: Reader) => T): T {
  try {
    return read(new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    throw new CodecError(`proto: cannot parse invalid wire-format data: ${error.message}`, { cause: error })
  }
}

/** Calls back for each field, and skips the value of a field for which the callback returns false. */
export function readFields(reader: Reader, onField: (field: number, wireType: number) => boolean): void {
  while (!reader.isDone) {
    const tag = reader.tag()
    const [field, wireType] = [tag >>> 3, tag & 7]
    if (!onField(field, wireType)) reader.skip(wireType)
  }
}

export function readText(reader: Reader): string {
  const bytes = reader.bytes()
  if (!isUtf8(bytes)) throw new CodecError('proto: a string field contains invalid UTF-8')
  return bytes.toString('utf8')
}

/** Omits empty texts, as proto3 does. */
export function writeText(writer: Writer, field: number, text: string): void {
  if (text !== '') writer.string(field, text)
}
