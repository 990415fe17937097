import type { WatchSink } from '../watch/types.js'
import { RewrittenSink } from './rewritten-sink.js'

/** The place of the headers in a Table without headers. Nothing that a client controls precedes it. */
const NO_HEADERS = Buffer.from('"columnDefinitions":null')

/** Adds headers to the first Table of a watch. The others have none, so that all watchers can share them. */
export function tableSink(inner: WatchSink, headers: Buffer): WatchSink {
  let isFirst = true
  return new RewrittenSink(inner, (chunk) => {
    const at = isFirst ? chunk.indexOf(NO_HEADERS) : -1
    if (at < 0) return chunk
    isFirst = false
    return Buffer.concat([chunk.subarray(0, at), headers, chunk.subarray(at + NO_HEADERS.length)])
  })
}
