import { Buffer } from 'node:buffer'
import {
  ATTRIBUTE_PREFIX,
  attributesOf,
  eventOf,
  formatValue,
  isSpecVersion,
  isStructured,
  isStructuredJson,
} from './attributes.js'
import type { CloudEvent } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { decodeStructured } from './structured-json.js'

/** An MQTT 5 message that carries an event: attributes as user properties, the data as payload. */
export interface MqttMessage {
  readonly userProperties: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly payload: Uint8Array
}

/** A property as MQTT libraries report it: repeated properties are a list. */
export interface ReceivedMqttMessage {
  readonly userProperties?: Readonly<Record<string, string | readonly string[]>> | undefined
  readonly contentType?: string | undefined
  readonly payload: Uint8Array
}

/** Lengths of texts are 16 bits in MQTT. */
const MAX_PROPERTY = 65_535

/** Throws `CodecError` for an event with an attribute that MQTT cannot carry. */
export function encodeMqtt(event: CloudEvent): MqttMessage {
  const userProperties: Record<string, string> = {}
  for (const [name, value] of attributesOf(event)) {
    const text = formatValue(value)
    if (Buffer.byteLength(text) > MAX_PROPERTY) {
      throw new CodecError(`the attribute ${name} is longer than ${MAX_PROPERTY} bytes, the limit of MQTT`)
    }
    userProperties[ATTRIBUTE_PREFIX + name] = text
  }
  const { data: payload = new Uint8Array(), dataContentType: contentType } = event
  return { userProperties, payload, ...(contentType !== undefined && { contentType }) }
}

/** Throws `CodecError` for a message that carries no event. */
export function decodeMqtt({ userProperties = {}, contentType, payload }: ReceivedMqttMessage): CloudEvent {
  if (contentType !== undefined && isStructured(contentType)) {
    if (!isStructuredJson(contentType)) throw new CodecError('unknown Message encoding')
    return decodeStructured(payload)
  }
  const attributes: [string, string][] = []
  for (const [key, value] of Object.entries(userProperties)) {
    if (!key.startsWith(ATTRIBUTE_PREFIX)) continue
    attributes.push([key.slice(ATTRIBUTE_PREFIX.length), typeof value === 'string' ? value : (value.at(-1) ?? '')])
  }
  const specVersion = attributes.find(([name]) => name === 'specversion')?.[1]
  if (specVersion === undefined || !isSpecVersion(specVersion)) throw new CodecError('unknown Message encoding')
  if (contentType !== undefined) attributes.push(['datacontenttype', contentType])
  return eventOf(attributes, payload.length > 0 ? payload : undefined)
}
