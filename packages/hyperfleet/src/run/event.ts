import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'

/** A CloudEvent about a HyperFleet resource, such as `com.redhat.hyperfleet.nodepool.reconcile.v1`. */
export interface AdapterEvent {
  readonly id: string
  readonly type: string
  readonly source: string
  /** `{id, kind, href, generation, owner_references?}`. */
  readonly data: JsonObject
}

/** Reads a CloudEvent in the JSON format of its specification. */
export function parseEvent(text: string): AdapterEvent {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw invalidEvent(`it is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(parsed)) throw invalidEvent('it is not an object')
  const { specversion, id, type, source, data, data_base64: encoded } = parsed
  if (specversion !== '1.0') throw invalidEvent('specversion must be "1.0"')
  for (const [name, value] of Object.entries({ id, type, source })) {
    if (typeof value !== 'string' || value === '') throw invalidEvent(`${name}: Required value`)
  }
  const content = typeof encoded === 'string' ? parsedData(encoded) : (data ?? {})
  if (!isObject(content)) throw invalidEvent('data is not an object')
  return { id: id as string, type: type as string, source: source as string, data: content }
}

function parsedData(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as unknown
  } catch (error) {
    throw invalidEvent(`data_base64 is not JSON: ${(error as Error).message}`)
  }
}

function invalidEvent(why: string): AdapterError {
  return new AdapterError('InvalidCloudEvent', `the CloudEvent is not valid: ${why}`)
}
