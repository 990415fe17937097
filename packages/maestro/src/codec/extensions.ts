import { timeOf } from './attributes.js'
import type { CloudEvent } from './cloud-event.js'
import { CodecError } from './codec-error.js'

/** Names of the extensions of events about resources. */
export const Extension = {
  ClusterName: 'clustername',
  DeletionTimestamp: 'deletiontimestamp',
  /** The metadata of the work, as JSON. */
  Metadata: 'metadata',
  /** Identifies the operation in logs: a JSON object of texts. */
  LogTracing: 'logtracing',
  OriginalSource: 'originalsource',
  ResourceId: 'resourceid',
  ResourceVersion: 'resourceversion',
  SequenceId: 'sequenceid',
  StatusHash: 'statushash',
} as const

const MAX_INT32 = 2 ** 31 - 1

/** Throws `CodecError` if the extension is missing or no text. */
export function textExtension(event: CloudEvent, name: string): string {
  const value = event.extensions[name]
  if (typeof value === 'string') return value
  throw new CodecError(`failed to get ${name} extension: ${problemOf(value, 'string')}`)
}

/** Reads an integer, or a text with one, as MQTT sends it. Throws `CodecError` for anything else. */
export function integerExtension(event: CloudEvent, name: string): number {
  const value = event.extensions[name]
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number)) {
    throw new CodecError(`failed to get ${name} extension: ${problemOf(value, 'int32')}`)
  }
  if (number > MAX_INT32 || number < -MAX_INT32 - 1) {
    throw new CodecError(`failed to get ${name} extension: ${number} is out of range for an int32`)
  }
  return Math.trunc(number)
}

/** Undefined if the event does not have the extension. Throws `CodecError` if it is no time. */
export function timeExtension(event: CloudEvent, name: string): Date | undefined {
  const value = event.extensions[name]
  if (value === undefined) return undefined
  try {
    return timeOf(value)
  } catch (error) {
    throw new CodecError(`failed to get ${name} extension: ${(error as Error).message}`, { cause: error })
  }
}

/** As Go describes values that cannot be converted. */
function problemOf(value: unknown, type: string): string {
  if (value === undefined) return 'invalid CloudEvents value: <nil>'
  return `cannot convert ${JSON.stringify(value)} to ${type}`
}
