import { internalError, StatusError } from '@orrery/kinds/values'
import type { WatchEventType } from './types.js'

const SUFFIX = Buffer.from('}\n')

const PREFIXES: Record<WatchEventType, Buffer> = {
  ADDED: prefix('ADDED'),
  MODIFIED: prefix('MODIFIED'),
  DELETED: prefix('DELETED'),
  BOOKMARK: prefix('BOOKMARK'),
  ERROR: prefix('ERROR'),
}

function prefix(type: WatchEventType): Buffer {
  return Buffer.from(`{"type":"${type}","object":`)
}

/** Encodes a watch event: a line of JSON. */
export function eventFrame(type: WatchEventType, object: Buffer): Buffer {
  return Buffer.concat([PREFIXES[type], object, SUFFIX])
}

const PREVIOUS = Buffer.from(',"previous":')

/** Encodes an event with the previous object. Not sent to clients. */
export function changeFrame(type: WatchEventType, object: Buffer, previous: Buffer): Buffer {
  return Buffer.concat([PREFIXES[type], object, PREVIOUS, previous, SUFFIX])
}

/** Encodes the last event of a watch that cannot continue: a `Status` with the reason. */
export function errorFrame(error: unknown): Buffer {
  const failure =
    error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : 'unknown')
  return eventFrame('ERROR', Buffer.from(JSON.stringify(failure.status)))
}
