import type { WatchSink } from '../watch/types.js'
import { RewrittenSink } from './rewritten-sink.js'

/** Where a Table without headers has its headers. Nothing a client can choose comes before it. */
const NO_HEADERS = Buffer.from('"columnDefinitions":null')

/** Gives the first table of a watch its headers; the others come without, so that all watchers can share them. */
export function tableSink(inner: WatchSink, headers: Buffer): WatchSink {
  let isFirst = true
  return new RewrittenSink(inner, (chunk) => {
    const at = isFirst ? chunk.indexOf(NO_HEADERS) : -1
    if (at < 0) return chunk
    isFirst = false
    return Buffer.concat([chunk.subarray(0, at), headers, chunk.subarray(at + NO_HEADERS.length)])
  })
}
