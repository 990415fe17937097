import { badRequest, ParseError, parseDuration } from '@orrery/kinds/values'
import type { RequestTarget } from './target.js'

/** Streams last as long as they last, whatever time was asked for. */
const STREAMS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/**
 * Refuses a `timeout` that is no duration. One that is needs no deadline of its own: every request is answered well
 * before the minute that would be the longest allowed.
 */
export function checkTimeout(target: RequestTarget): void {
  const timeout = target.query.get('timeout')
  if (timeout === '' || target.verb === 'watch' || STREAMS.has(target.subresource)) return
  try {
    parseDuration(timeout)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`)
  }
}
