import { type Status, StatusError } from '../status.js'
import type { WatchEvent } from './options.js'

const NEWLINE = 10
const NOTHING = Buffer.alloc(0)

/**
 * The events of a watch, as many at a time as arrive together. Ends when the server ends the stream; throws a
 * `StatusError` when the server says why.
 */
export async function* watchEvents<T>(body: AsyncIterable<Buffer>): AsyncGenerator<WatchEvent<T>[]> {
  let rest: Buffer = NOTHING
  for await (const chunk of body) {
    // A line ends at a newline byte whatever the text: cut there, so that no character is split.
    const end = chunk.lastIndexOf(NEWLINE)
    if (end < 0) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      continue
    }
    const whole = chunk.subarray(0, end)
    const text = rest.length === 0 ? whole.toString('utf8') : Buffer.concat([rest, whole]).toString('utf8')
    rest = end + 1 === chunk.length ? NOTHING : chunk.subarray(end + 1)
    const events = parseLines<T>(text)
    const last = events.at(-1)
    if (last !== undefined && (last.type as string) === 'ERROR') {
      events.pop()
      if (events.length > 0) yield events
      throw new StatusError(last.object as Status)
    }
    if (events.length > 0) yield events
  }
}

function parseLines<T>(text: string): WatchEvent<T>[] {
  const events: WatchEvent<T>[] = []
  let from = 0
  while (from < text.length) {
    const newline = text.indexOf('\n', from)
    const to = newline < 0 ? text.length : newline
    if (to > from) {
      const event = JSON.parse(text.slice(from, to)) as WatchEvent<T>
      events.push(event)
      // Nothing that follows an error means anything.
      if ((event.type as string) === 'ERROR') break
    }
    from = to + 1
  }
  return events
}
