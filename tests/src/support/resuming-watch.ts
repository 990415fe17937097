import type { KubeObject } from '@orrery/kinds'
import { revisionOf } from './client.js'
import type { Streams } from './streams.js'

export interface SeenEvent {
  readonly type: string
  readonly revision: number
  readonly object: KubeObject
  /** `performance.now()` when it arrived. */
  readonly time: number
}

/** A watch that resumes after every interruption from the last version, as informers do. */
export class ResumingWatch {
  readonly events: SeenEvent[] = []
  bookmarks = 0
  /** Streams that the server ended, and those that broke. */
  cleanEnds = 0
  cuts = 0
  /** The response that history has expired; the watch stops there. */
  gone: KubeObject | undefined
  last: number
  readonly #path: string
  #streams: Streams | undefined
  #stream: { cancel(): void } | undefined
  #stopped = false
  #failures = 0

  constructor(path: string, since: number) {
    this.#path = `${path}${path.includes('?') ? '&' : '?'}watch=true&allowWatchBookmarks=true`
    this.last = since
  }

  /** Continues over these streams, now and after every interruption; stops if there are none. */
  connect(streams: Streams | undefined): void {
    this.#streams = streams
    if (streams !== undefined && this.#stream === undefined) this.#open(streams)
  }

  /** The client disconnects, and opens another stream when it notices. */
  interrupt(): void {
    this.#stream?.cancel()
  }

  stop(): void {
    this.#stopped = true
    this.#stream?.cancel()
  }

  #open(streams: Streams): void {
    this.#stream = streams.open(`${this.#path}&resourceVersion=${this.last}`, {
      line: (text) => this.#take(JSON.parse(text) as { type: string; object: KubeObject }),
      end: (clean, status) => this.#ended(clean, status),
    })
  }

  #take({ type, object }: { type: string; object: KubeObject }): void {
    this.#failures = 0
    if (type === 'ERROR') {
      this.gone = object
      return
    }
    const revision = revisionOf(object)
    if (type === 'BOOKMARK') this.bookmarks++
    else this.events.push({ type, revision, object, time: performance.now() })
    this.last = revision
  }

  #ended(clean: boolean, status: number): void {
    this.#stream = undefined
    if (clean) this.#failures = 0
    if (clean && status === 200) this.cleanEnds++
    else this.cuts++
    const streams = this.#streams
    if (this.#stopped || this.gone !== undefined || streams === undefined) return
    // A stopped server refuses at once: if all watchers retried at once, it could not restart.
    const pause = Math.min(50 * 2 ** this.#failures++, 1600) * (0.5 + Math.random())
    setTimeout(
      () => {
        if (!this.#stopped && this.#stream === undefined && this.#streams !== undefined) this.#open(this.#streams)
      },
      clean ? 0 : pause,
    )
  }
}
