import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { CloudEvent, ExtensionValue } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { type EventAction, type EventSubResource, formatEventType, MANIFEST_BUNDLES } from './event-type.js'

/** The content type of the data of all events about resources. */
const JSON_CONTENT = 'application/json'

export interface NewEvent {
  readonly source: string
  readonly subResource: EventSubResource
  readonly action: EventAction
  readonly extensions: Readonly<Record<string, ExtensionValue>>
  /** JSON, already encoded. */
  readonly data?: Uint8Array
}

/** A new event about manifest bundles. */
export function newEvent({ source, subResource, action, extensions, data }: NewEvent): CloudEvent {
  return {
    id: randomUUID(),
    source,
    type: formatEventType({ dataType: MANIFEST_BUNDLES, subResource, action }),
    time: new Date(),
    extensions,
    ...(data !== undefined && { dataContentType: JSON_CONTENT, data }),
  }
}

export function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** The data of an event. Throws `CodecError` if it is not JSON. */
export function jsonData({ data }: CloudEvent): unknown {
  const text = data === undefined ? '' : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')
  return parseJson(text, 'failed to unmarshal event data')
}

export function parseJson(text: string, problem: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CodecError(`${problem}: ${(error as Error).message}`, { cause: error })
  }
}
