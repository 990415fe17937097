import { BYTES, type Reader, VARINT, type Writer } from '@orrery/kube/protobuf'
import { checkedInteger } from './attributes.js'
import type { ExtensionValue } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { readFields, readText } from './protobuf-fields.js'

/** Field numbers of `io.cloudevents.v1.CloudEventAttributeValue`. */
const VALUE = { boolean: 1, integer: 2, string: 3, bytes: 4, uri: 5, uriRef: 6, timestamp: 7 } as const
const TIMESTAMP = { seconds: 1, nanos: 2 } as const

export function writeValue(writer: Writer, value: ExtensionValue): void {
  if (typeof value === 'string') writer.string(VALUE.string, value)
  else if (typeof value === 'number') writer.integer(VALUE.integer, checkedInteger(value))
  else if (typeof value === 'boolean') writer.integer(VALUE.boolean, value ? 1 : 0)
  else if (value instanceof Date) writeTimestamp(writer, value)
  else writer.bytes(VALUE.bytes, value)
}

function writeTimestamp(writer: Writer, time: Date): void {
  const milliseconds = time.getTime()
  if (Number.isNaN(milliseconds)) throw new CodecError('the time is not valid')
  const seconds = Math.floor(milliseconds / 1000)
  const nanos = (milliseconds - seconds * 1000) * 1_000_000
  const end = writer.length
  if (nanos !== 0) writer.integer(TIMESTAMP.nanos, nanos)
  if (seconds !== 0) writer.integer(TIMESTAMP.seconds, seconds)
  writer.block(VALUE.timestamp, end)
}

export function readValue(reader: Reader): ExtensionValue | undefined {
  const outerEnd = reader.enter()
  let value: ExtensionValue | undefined
  readFields(reader, (field, wireType) => {
    if (wireType === VARINT && field === VALUE.boolean) value = reader.boolean()
    else if (wireType === VARINT && field === VALUE.integer) value = reader.int32()
    else if (wireType !== BYTES) return false
    else if (field === VALUE.string || field === VALUE.uri || field === VALUE.uriRef) value = readText(reader)
    else if (field === VALUE.bytes) value = reader.bytes()
    else if (field === VALUE.timestamp) value = readTimestamp(reader)
    else return false
    return true
  })
  reader.leave(outerEnd)
  return value
}

function readTimestamp(reader: Reader): Date {
  const outerEnd = reader.enter()
  let [seconds, nanos] = [0, 0]
  readFields(reader, (field, wireType) => {
    if (wireType !== VARINT) return false
    if (field === TIMESTAMP.seconds) seconds = reader.int64()
    else if (field === TIMESTAMP.nanos) nanos = reader.int32()
    else return false
    return true
  })
  reader.leave(outerEnd)
  const time = new Date(seconds * 1000 + Math.floor(nanos / 1_000_000))
  if (Number.isNaN(time.getTime())) throw new CodecError(`the timestamp ${seconds} is out of range`)
  return time
}
