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

/** One watch event on the wire: a line of JSON. */
export function eventFrame(type: WatchEventType, object: Buffer): Buffer {
  return Buffer.concat([PREFIXES[type], object, SUFFIX])
}

const PREVIOUS = Buffer.from(',"previous":')

/** An event with the object as it was before. Not for the wire. */
export function changeFrame(type: WatchEventType, object: Buffer, previous: Buffer): Buffer {
  return Buffer.concat([PREFIXES[type], object, PREVIOUS, previous, SUFFIX])
}

/** The last event of a watch that cannot go on: a `Status` that says why. */
export function errorFrame(error: unknown): Buffer {
  const failure =
    error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : 'unknown')
  return eventFrame('ERROR', Buffer.from(JSON.stringify(failure.status)))
}
