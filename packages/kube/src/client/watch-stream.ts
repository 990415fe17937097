import type { JsonObject } from '@orrery/kinds'
import { failure, isObject, StatusError } from '@orrery/kinds/values'
import type { WatchEvent } from './options.js'
import { PartialLine } from './partial-line.js'
import { statusFrom } from './wire-status.js'

const NEWLINE = 10
/** Far more than any server stores in one object. */
const MAX_EVENT = 64 * 1024 * 1024

/**
 * The events of a watch in batches, as they arrive. Ends when the server ends the stream; throws a `StatusError` if
 * the server sends an error or an invalid event.
 */
export async function* watchEvents<T>(
  body: AsyncIterable<Buffer>,
  maxEventBytes = MAX_EVENT,
): AsyncGenerator<WatchEvent<T>[]> {
  const partial = new PartialLine()
  for await (const chunk of body) {
    // Split at the newline byte, so that no character is split.
    const end = chunk.lastIndexOf(NEWLINE)
    if (partial.length + chunk.length > maxEventBytes) {
      const first = end < 0 ? chunk.length : chunk.indexOf(NEWLINE)
      if (partial.length + first > maxEventBytes)
        throw failure(500, 'InternalError', 'the watch sent an event that is too large')
    }
    if (end < 0) {
      partial.add(chunk)
      continue
    }
    const events = parseLines<T>(textUpTo(partial, chunk.subarray(0, end)))
    if (end + 1 < chunk.length) partial.add(chunk.subarray(end + 1))
    const last = events.at(-1)
    if (last !== undefined && (last.type as string) === 'ERROR') {
      events.pop()
      if (events.length > 0) yield events
      throw new StatusError(statusFrom(last.object as JsonObject, 500))
    }
    if (events.length > 0) yield events
  }
}

function textUpTo(partial: PartialLine, end: Buffer): string {
  if (partial.length === 0) return end.toString('utf8')
  partial.add(end)
  return partial.take()
}

function parseLines<T>(text: string): WatchEvent<T>[] {
  const events: WatchEvent<T>[] = []
  let from = 0
  while (from < text.length) {
    const newline = text.indexOf('\n', from)
    const to = newline < 0 ? text.length : newline
    if (to > from) {
      const event = parseEvent<T>(text.slice(from, to))
      events.push(event)
      // Events after an error are ignored.
      if ((event.type as string) === 'ERROR') break
    }
    from = to + 1
  }
  return events
}

function parseEvent<T>(line: string): WatchEvent<T> {
  try {
    const event: unknown = JSON.parse(line)
    if (isObject(event) && isObject(event.object)) return event as unknown as WatchEvent<T>
  } catch {
    // The original error quotes the line, which may be part of a Secret.
  }
  throw failure(500, 'InternalError', 'the watch sent an invalid event')
}
