import { badRequest, ParseError, parseDuration } from '@orrery/kinds/values'
import type { RequestTarget } from './target.js'

/** Streams have no timeout. */
const STREAMS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/**
 * Refuses an invalid `timeout`. A valid one needs no deadline: every request is answered well before the maximum of one
 * minute.
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
