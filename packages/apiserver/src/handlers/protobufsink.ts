import type { KubeObject } from '@orrery/kube'
import { encodeProtobuf, encodeWatchFrame } from '../protobuf/index.js'
import type { WatchSink } from '../watch/types.js'
import { eventLines } from './eventlines.js'

/** Writes the events of a watch as protobuf frames, for clients that read nothing else. */
export class ProtobufSink implements WatchSink {
  readonly #inner: WatchSink

  constructor(inner: WatchSink) {
    this.#inner = inner
  }

  write(chunk: Buffer): boolean {
    return this.#inner.write(Buffer.concat([...eventLines(chunk)].map(frameOf)))
  }

  onDrain(callback: () => void): void {
    this.#inner.onDrain(callback)
  }

  onClose(callback: () => void): void {
    this.#inner.onClose(callback)
  }

  end(): void {
    this.#inner.end()
  }

  destroy(): void {
    this.#inner.destroy()
  }
}

function frameOf(line: Buffer): Buffer {
  const { type, object } = JSON.parse(line.toString('utf8')) as { type: string; object: KubeObject }
  const bytes = encodeProtobuf(object)
  if (bytes === undefined) throw new Error(`${object.kind} has no protobuf form`)
  return encodeWatchFrame(type, bytes)
}
