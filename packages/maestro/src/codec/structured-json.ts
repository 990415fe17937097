import { Buffer } from 'node:buffer'
import { isObject } from '@orrery/kinds/values'
import { attributesOf, eventOf, formatValue } from './attributes.js'
import type { CloudEvent, ExtensionValue } from './cloud-event.js'
import { CodecError } from './codec-error.js'

const JSON_DATA = /^(?:application|text)\/(?:.*\+)?json\s*(?:;|$)/i
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Encodes a whole event as JSON. */
export function encodeStructured(event: CloudEvent): Buffer {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of attributesOf(event)) {
    fields[name] = typeof value === 'boolean' || typeof value === 'number' ? value : formatValue(value)
  }
  const { data, dataContentType } = event
  if (dataContentType !== undefined) fields.datacontenttype = dataContentType
  if (data !== undefined) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (JSON_DATA.test(dataContentType ?? 'application/json')) fields.data = parsed(bytes, 'the data')
    else fields.data_base64 = bytes.toString('base64')
  }
  return Buffer.from(JSON.stringify(fields))
}

/** Decodes a whole event. Throws `CodecError` for anything else. */
export function decodeStructured(bytes: Uint8Array): CloudEvent {
  const fields = parsed(bytes, 'the event')
  if (!isObject(fields)) throw new CodecError('the event is not a JSON object')
  const { data, data_base64: base64, ...rest } = fields
  const attributes: [string, ExtensionValue][] = []
  for (const [name, value] of Object.entries(rest)) {
    if (value === null) continue
    if (typeof value === 'object') throw new CodecError(`the attribute ${name} of the event is not a plain value`)
    attributes.push([name, value])
  }
  if (typeof fields.specversion !== 'string') throw new CodecError('the event has no specversion')
  return eventOf(attributes, dataOf(data, base64, fields.datacontenttype))
}

function dataOf(data: unknown, base64: unknown, contentType: unknown): Buffer | undefined {
  if (base64 !== undefined && base64 !== null) {
    if (typeof base64 !== 'string' || !BASE64.test(base64)) throw new CodecError('data_base64 is not valid base64')
    return Buffer.from(base64, 'base64')
  }
  if (data === undefined) return undefined
  const isText = typeof contentType === 'string' && !JSON_DATA.test(contentType)
  return Buffer.from(isText && typeof data === 'string' ? data : textOf(data))
}

function textOf(data: unknown): string {
  try {
    return JSON.stringify(data)
  } catch (error) {
    // It was parsed, so it can only be nested too deeply.
    throw new CodecError(`the data of the event cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function parsed(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch (error) {
    throw new CodecError(`${what} is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}
