import type { Entry } from '../store/types.js'
import type { WatchEncoding, WatchFilter, WatchRequest, WatchSink } from './types.js'

export interface SeenEvent {
  readonly type: string
  readonly name: string | undefined
  readonly revision: number
  readonly value: string | undefined
  readonly annotations: Record<string, string> | undefined
}

/** A sink in memory that can stop reading. */
export class RecordingSink implements WatchSink {
  readonly chunks: Buffer[] = []
  state: 'open' | 'ended' | 'destroyed' = 'open'
  /** Whether the sink is full after each write. */
  reluctant = false
  #drain: () => void = () => undefined
  #close: () => void = () => undefined

  write(chunk: Buffer): boolean {
    this.chunks.push(chunk)
    return !this.reluctant
  }

  onDrain(callback: () => void): void {
    this.#drain = callback
  }

  onClose(callback: () => void): void {
    this.#close = callback
  }

  end(): void {
    this.state = 'ended'
  }

  destroy(): void {
    this.state = 'destroyed'
  }

  drain(): void {
    this.#drain()
  }

  close(): void {
    this.#close()
  }

  /** The bytes written so far. */
  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8')
  }

  get events(): SeenEvent[] {
    return this.text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { type, object } = JSON.parse(line)
        return {
          type,
          name: object.metadata.name,
          revision: Number(object.metadata.resourceVersion),
          value: object.data?.value,
          annotations: object.metadata.annotations,
        }
      })
  }

  /** The events in short form: `ADDED a 1`. */
  get summary(): string[] {
    return this.events.map((event) => [event.type, event.name ?? '-', event.revision].join(' '))
  }
}

/** Encodes objects as they are stored, and counts the calls. */
export class PlainEncoding implements WatchEncoding {
  readonly key: string
  calls = 0

  constructor(key = 'plain') {
    this.key = key
  }

  object(entry: Entry): Buffer {
    this.calls++
    return entry.bytes
  }

  bookmark(revision: number, annotations: Readonly<Record<string, string>> | undefined): Buffer {
    const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) }
    return Buffer.from(JSON.stringify({ kind: 'Thing', apiVersion: 'v1', metadata }))
  }
}

/** Matches objects with a label, and counts the calls. */
export class LabelFilter implements WatchFilter {
  readonly key: string
  calls = 0
  readonly #label: string

  constructor(label: string) {
    this.#label = label
    this.key = `label ${label}`
  }

  matches(entry: Entry): boolean {
    this.calls++
    return entry.object().metadata.labels?.[this.#label] !== undefined
  }
}

/** Returns a watch request for everything in `things` from now on, with overrides. */
export function watchRequest(sink: WatchSink, changes: Partial<WatchRequest> = {}): WatchRequest {
  return {
    bucket: 'things',
    namespace: undefined,
    name: undefined,
    filter: undefined,
    encoding: new PlainEncoding(),
    since: 0,
    initial: [],
    user: 'somebody',
    markInitialEnd: false,
    bookmarks: false,
    timeoutSeconds: 3600,
    sink,
    ...changes,
  }
}
