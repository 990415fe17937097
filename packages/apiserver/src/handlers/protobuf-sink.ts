import type { KubeObject } from '@orrery/kinds'
import { encodeProtobuf, encodeWatchFrame } from '../protobuf/index.js'
import type { WatchSink } from '../watch/types.js'
import { eventLines } from './event-lines.js'
import { RewrittenSink } from './rewritten-sink.js'

/** Encodes watch events as protobuf frames. */
export function protobufSink(inner: WatchSink): WatchSink {
  return new RewrittenSink(inner, (chunk) => Buffer.concat([...eventLines(chunk)].map(frameOf)))
}

function frameOf(line: Buffer): Buffer {
  const { type, object } = JSON.parse(line.toString('utf8')) as { type: string; object: KubeObject }
  const bytes = encodeProtobuf(object)
  if (bytes === undefined) throw new Error(`${object.kind} has no protobuf form`)
  return encodeWatchFrame(type, bytes)
}
