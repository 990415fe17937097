import type { Log } from './log.js'
import type { LogMeta } from './meta.js'
import type { LogRecord } from './record.js'

/** A write that is not on disk yet. */
export interface Write extends LogRecord {
  /** What it replaces, which may itself not be on disk yet. */
  readonly previous: LogRecord['entry'] | undefined
  readonly resolve: (entry: LogRecord['entry']) => void
  readonly reject: (error: Error) => void
}

/** Compactor of the log, which rides along with writes. */
export interface Compaction {
  /** The next piece of it, in proportion to the writes it goes with; undefined when there is none. */
  take(writes: number): { readonly drop: readonly number[]; readonly meta: LogMeta } | undefined
  done(): void
  /** A commit failed: the piece taken, if any, is still to do, and is tried again at once unless it went alone. */
  failed(error: unknown, alone: boolean): void
}

/** One commit is about this large at most, so that a burst does not become one long transaction. */
const COMMIT_BYTES = 4 * 1024 * 1024

/** Hears of writes that failed; returns those to try once more. */
export type Refused = (writes: readonly Write[], error: unknown) => Write[]

/**
 * Group commit: one commit is under way at a time, and writes that come in meanwhile go together in the next. A commit
 * that fails takes every waiting write down with it, for those may build on the ones that failed, unless they are to be
 * tried once more. After that the chores go first and alone, until none is left or one fails: they need next to no
 * room, and make some.
 */
export class Committer {
  readonly #log: Log
  readonly #compaction: Compaction
  readonly #landed: (writes: readonly Write[]) => void
  readonly #refused: Refused
  #waiting: Write[] = []
  #compactionFirst = false
  #busy = false
  #scheduled = false
  #finished: (() => void) | undefined

  constructor(log: Log, compaction: Compaction, landed: (writes: readonly Write[]) => void, refused: Refused) {
    this.#log = log
    this.#compaction = compaction
    this.#landed = landed
    this.#refused = refused
  }

  add(write: Write): void {
    this.#waiting.push(write)
    this.nudge()
  }

  /** There is something to commit. Starts after this turn of the event loop, so that all its writes share a commit. */
  nudge(): void {
    if (this.#busy || this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#start()
    })
  }

  /** Commits what waits, leaves the chores, and resolves when nothing is under way any more. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve
      this.nudge()
    })
  }

  #start(): void {
    const waiting = this.#compactionFirst ? 0 : this.#waiting.length
    const compaction = this.#finished === undefined ? this.#compaction.take(waiting) : undefined
    const writes = this.#compactionFirst && compaction !== undefined ? [] : this.#take()
    if (writes.length === 0 && compaction === undefined) {
      this.#finished?.()
      return
    }
    this.#busy = true
    this.#log.commit({ append: writes, drop: compaction?.drop ?? [], meta: compaction?.meta }).then(
      () => {
        this.#busy = false
        if (writes.length > 0) this.#compactionFirst = false
        if (compaction !== undefined) this.#compaction.done()
        // The next commit goes to disk while this one is shown to readers.
        this.#start()
        this.#landed(writes)
      },
      (error: unknown) => {
        this.#busy = false
        this.#compaction.failed(error, writes.length === 0)
        this.#compactionFirst = writes.length > 0
        if (this.#compactionFirst || this.#waiting.length === 0) {
          this.#waiting = this.#refused(writes.concat(this.#waiting.splice(0)), error)
        }
        if (this.#compactionFirst || this.#waiting.length > 0) this.#start()
        else this.#finished?.()
      },
    )
  }

  #take(): Write[] {
    let bytes = 0
    for (let at = 0; at < this.#waiting.length; at++) {
      bytes += (this.#waiting[at] as Write).entry.bytes.length
      if (bytes > COMMIT_BYTES) return this.#waiting.splice(0, at + 1)
    }
    const all = this.#waiting
    this.#waiting = []
    return all
  }
}
