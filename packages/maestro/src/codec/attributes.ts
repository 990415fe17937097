import { Buffer } from 'node:buffer'
import { parseTime } from '@orrery/kinds/values'
import type { CloudEvent, ExtensionValue } from './cloud-event.js'
import { CodecError } from './codec-error.js'

/** The prefix of attributes and extensions in protobuf and MQTT messages. */
export const ATTRIBUTE_PREFIX = 'ce-'
export const SPEC_VERSION = '1.0'
const STRUCTURED_JSON = 'application/cloudevents+json'

const SPEC_VERSIONS: readonly string[] = [SPEC_VERSION, '0.3']
const EXTENSION_NAME = /^[a-z0-9]+$/

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Whether the events of a specification version can be read. */
export function isSpecVersion(text: string): boolean {
  return SPEC_VERSIONS.includes(text)
}

/** Whether the content type says that the data is a whole event, in any format. */
export function isStructured(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('application/cloudevents')
}

/** Whether the content type says that the data is a whole event as JSON. */
export function isStructuredJson(contentType: string): boolean {
  return contentType.toLowerCase().split(';')[0]?.trim() === STRUCTURED_JSON
}

/** The event with these attributes and extensions, by name without a prefix. */
export function eventOf(attributes: Iterable<readonly [string, ExtensionValue]>, data?: Uint8Array): CloudEvent {
  const extensions: Record<string, ExtensionValue> = {}
  const event: Writable<CloudEvent> = { id: '', source: '', type: '', extensions }
  for (const [name, value] of attributes) {
    switch (name) {
      case 'specversion':
        break
      case 'id':
      case 'source':
      case 'type':
      case 'subject':
        event[name] = formatValue(value)
        break
      case 'dataschema':
        event.dataSchema = formatValue(value)
        break
      case 'datacontenttype':
        event.dataContentType = formatValue(value)
        break
      case 'time':
        event.time = timeOf(value)
        break
      default:
        extensions[extensionName(name)] = value
    }
  }
  if (data !== undefined) event.data = data
  return event
}

/** Every attribute and extension of an event but its content type, by name without a prefix. */
export function* attributesOf(event: CloudEvent): Generator<readonly [string, ExtensionValue]> {
  yield ['specversion', SPEC_VERSION]
  yield ['id', event.id]
  yield ['source', event.source]
  yield ['type', event.type]
  if (event.time !== undefined) yield ['time', event.time]
  if (event.subject !== undefined) yield ['subject', event.subject]
  if (event.dataSchema !== undefined) yield ['dataschema', event.dataSchema]
  yield* Object.entries(event.extensions)
}

/** A value as text, in the format that CloudEvents define. */
export function formatValue(value: ExtensionValue): string {
  if (value instanceof Date) return formatTimestamp(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return String(typeof value === 'number' ? checkedInteger(value) : value)
}

/** The integer that CloudEvents allow: 32 bits, decimals are cut off. */
export function checkedInteger(value: number): number {
  const integer = Math.trunc(value)
  if (!(integer >= -(2 ** 31) && integer < 2 ** 31)) throw new CodecError(`${value} is out of range`)
  return integer
}

/** Milliseconds only if there are any, as Go formats times. */
function formatTimestamp(time: Date): string {
  if (Number.isNaN(time.getTime())) throw new CodecError('the time is not valid')
  return time.toISOString().replace(/\.?0*Z$/, 'Z')
}

/** Reads a timestamp, or a text in RFC 3339. */
export function timeOf(value: ExtensionValue): Date {
  if (value instanceof Date) return value
  try {
    const { seconds, nanos } = parseTime(String(value))
    return new Date(seconds * 1000 + Math.floor(nanos / 1_000_000))
  } catch (error) {
    throw new CodecError(`cannot convert ${JSON.stringify(String(value))} to time.Time: not in RFC3339 format`, {
      cause: error,
    })
  }
}

function extensionName(name: string): string {
  const lower = name.toLowerCase()
  if (EXTENSION_NAME.test(lower)) return lower
  throw new CodecError(
    `bad key ${JSON.stringify(name)}: CloudEvents attribute names consist of lower-case letters and digits`,
  )
}
