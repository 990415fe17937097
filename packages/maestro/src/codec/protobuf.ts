import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { BYTES, Reader, Writer } from '@orrery/kube/protobuf'
import {
  ATTRIBUTE_PREFIX,
  attributesOf,
  eventOf,
  isSpecVersion,
  isStructured,
  isStructuredJson,
  SPEC_VERSION,
} from './attributes.js'
import type { CloudEvent, ExtensionValue } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { decoded, readFields, readText, writeText } from './protobuf-fields.js'
import { readValue, writeValue } from './protobuf-value.js'
import { decodeStructured } from './structured-json.js'

/** What an agent or a source subscribes to. */
export interface SubscriptionRequest {
  readonly source: string
  readonly clusterName: string
  readonly dataType: string
}

/** The type of the events that a server sends so that subscribers notice a dead stream. */
const HEARTBEAT = 'io.open-cluster-management.cloudevents.heartbeat'
/** The attribute of the content type. It has no prefix. */
const CONTENT_TYPE = 'contenttype'

/** Field numbers of `io.cloudevents.v1`. */
const EVENT = { id: 1, source: 2, specVersion: 3, type: 4, attributes: 5, binaryData: 6 } as const
const ENTRY = { key: 1, value: 2 } as const
const PUBLISH_EVENT = 1
const SUBSCRIPTION = { source: 1, clusterName: 2, dataType: 3 } as const

/** Encodes `io.cloudevents.v1.CloudEvent`, with the attributes in the order of their names. */
export function encodeCloudEvent(event: CloudEvent): Buffer {
  const writer = writerFor(event)
  writeEvent(writer, event)
  return writer.finish()
}

export function encodePublishRequest(event: CloudEvent): Buffer {
  const writer = writerFor(event)
  writeEvent(writer, event)
  writer.block(PUBLISH_EVENT, 0)
  return writer.finish()
}

export function encodeSubscriptionRequest({ source, clusterName, dataType }: SubscriptionRequest): Buffer {
  const writer = new Writer(256)
  writeText(writer, SUBSCRIPTION.dataType, dataType)
  writeText(writer, SUBSCRIPTION.clusterName, clusterName)
  writeText(writer, SUBSCRIPTION.source, source)
  return writer.finish()
}

/** Throws `CodecError` for bytes that are not an event. */
export function decodeCloudEvent(bytes: Uint8Array): CloudEvent {
  return decoded(bytes, readEvent)
}

/** Throws `CodecError` for bytes that are not a request with an event. */
export function decodePublishRequest(bytes: Uint8Array): CloudEvent {
  return decoded(bytes, (reader) => {
    let event: Buffer | undefined
    readFields(reader, (field, type) => {
      if (field !== PUBLISH_EVENT || type !== BYTES) return false
      event = reader.bytes()
      return true
    })
    if (event === undefined) throw new CodecError('the PublishRequest has no event')
    return readEvent(new Reader(event))
  })
}

export function decodeSubscriptionRequest(bytes: Uint8Array): SubscriptionRequest {
  return decoded(bytes, (reader) => {
    let [source, clusterName, dataType] = ['', '', '']
    readFields(reader, (field, type) => {
      if (type !== BYTES) return false
      if (field === SUBSCRIPTION.source) source = readText(reader)
      else if (field === SUBSCRIPTION.clusterName) clusterName = readText(reader)
      else if (field === SUBSCRIPTION.dataType) dataType = readText(reader)
      else return false
      return true
    })
    return { source, clusterName, dataType }
  })
}

/** A new heartbeat, encoded. */
export function heartbeat(): Buffer {
  return encodeCloudEvent({ id: randomUUID(), source: '', type: HEARTBEAT, extensions: {} })
}

export function isHeartbeat({ type }: Pick<CloudEvent, 'type'>): boolean {
  return type === HEARTBEAT
}

/** Room for everything but long extensions, for which the writer grows. */
function writerFor({ data, extensions }: CloudEvent): Writer {
  const { metadata } = extensions
  return new Writer(1024 + (data?.length ?? 0) + (typeof metadata === 'string' ? metadata.length : 0))
}

/** Fields are written from the last to the first. */
function writeEvent(writer: Writer, event: CloudEvent): void {
  if (event.data !== undefined) writer.bytes(EVENT.binaryData, event.data)
  const attributes: [string, ExtensionValue][] = []
  for (const [name, value] of attributesOf(event)) {
    if (!OWN_FIELDS.has(name)) attributes.push([ATTRIBUTE_PREFIX + name, value])
  }
  if (event.dataContentType !== undefined) attributes.push([CONTENT_TYPE, event.dataContentType])
  attributes.sort(([a], [b]) => (a < b ? 1 : -1))
  for (const [key, value] of attributes) {
    const end = writer.length
    writeValue(writer, value)
    writer.block(ENTRY.value, end)
    writer.string(ENTRY.key, key)
    writer.block(EVENT.attributes, end)
  }
  writeText(writer, EVENT.type, event.type)
  writeText(writer, EVENT.specVersion, SPEC_VERSION)
  writeText(writer, EVENT.source, event.source)
  writeText(writer, EVENT.id, event.id)
}

/** Attributes with a field of their own. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['specversion', 'id', 'source', 'type'])

function readEvent(reader: Reader): CloudEvent {
  const attributes: [string, ExtensionValue][] = []
  let specVersion = ''
  let type = ''
  let contentType: string | undefined
  let data: Buffer | undefined
  let attributeCount = 0
  readFields(reader, (field, wireType) => {
    if (wireType !== BYTES) return false
    if (field === EVENT.id) attributes.push(['id', readText(reader)])
    else if (field === EVENT.source) attributes.push(['source', readText(reader)])
    else if (field === EVENT.specVersion) specVersion = readText(reader)
    else if (field === EVENT.type) type = readText(reader)
    else if (field === EVENT.binaryData) data = reader.bytes()
    else if (field === EVENT.attributes) {
      attributeCount++
      const [name, value] = readEntry(reader)
      if (name === CONTENT_TYPE) contentType = String(value)
      // Readers ignore other names without the prefix.
      else if (name.startsWith(ATTRIBUTE_PREFIX)) attributes.push([name.slice(ATTRIBUTE_PREFIX.length), value])
    } else return false
    return true
  })
  if (isHeartbeat({ type })) return eventOf([...attributes, ['type', type]])
  if (contentType !== undefined && isStructured(contentType)) {
    if (!isStructuredJson(contentType)) throw new CodecError('unknown Message encoding')
    return decodeStructured(data ?? Buffer.alloc(0))
  }
  if (attributeCount === 0 || !isSpecVersion(specVersion)) throw new CodecError('unknown Message encoding')
  attributes.push(['type', type])
  if (contentType !== undefined) attributes.push(['datacontenttype', contentType])
  return eventOf(attributes, data)
}

function readEntry(reader: Reader): [string, ExtensionValue] {
  const outerEnd = reader.enter()
  let key = ''
  let value: ExtensionValue | undefined
  readFields(reader, (field, wireType) => {
    if (wireType !== BYTES) return false
    if (field === ENTRY.key) key = readText(reader)
    else if (field === ENTRY.value) value = readValue(reader)
    else return false
    return true
  })
  reader.leave(outerEnd)
  if (value === undefined) throw new CodecError(`failed to convert attribute ${key}: unsupported attribute type: <nil>`)
  return [key, value]
}
