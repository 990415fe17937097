import type { Log } from './log.js'
import type { LogMeta } from './meta.js'
import type { LogRecord } from './record.js'

/** A write that is not on disk yet. */
export interface Write extends LogRecord {
  /** The entry that it replaces, which may not be on disk yet either. */
  readonly previous: LogRecord['entry'] | undefined
  readonly resolve: (entry: LogRecord['entry']) => void
  readonly reject: (error: Error) => void
}

/** Compaction of the log, which is committed together with writes. */
export interface Compaction {
  /** Returns the next part, sized in proportion to the writes of the commit; undefined if there is none. */
  take(writes: number): { readonly drop: readonly number[]; readonly meta: LogMeta } | undefined
  done(): void
  /**
   * Called when a commit failed: the part that was taken, if any, is still to do, and is retried immediately unless it
   * was committed alone.
   */
  failed(error: unknown, alone: boolean): void
}

/** The approximate maximum size of a commit, so that a burst of writes does not become one long transaction. */
const COMMIT_BYTES = 4 * 1024 * 1024

/**
 * The writes of a commit of this size have different clients. Each sends its next write when it has its response, so more
 * writes follow at once.
 */
const MANY_WRITES = 16
/** How long a commit waits for these writes at most: about as long as a flush to disk. */
const GATHER_MS = 4

/** Called with failed writes. Returns those to retry once. */
export type Refused = (writes: readonly Write[], error: unknown) => Write[]

/**
 * Group commit: one commit is in progress at a time, and writes that arrive meanwhile are committed together in the
 * next. If a commit fails, all waiting writes fail too, since they may build on it, except for those to retry. After a
 * failure maintenance is committed first and alone, until none is left or it fails: it needs almost no space and frees
 * some.
 *
 * The clients of a large commit send their next writes together, and these arrive in one turn of the event loop. If they
 * shared the next commit, either the processor or the disk would be idle at any time. So the commit after a large one
 * starts as soon as half as many writes wait, and the other half is processed while it is flushed.
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
  #gathering: { readonly enough: number; readonly timeout: NodeJS.Timeout } | undefined
  #finished: (() => void) | undefined

  constructor(log: Log, compaction: Compaction, landed: (writes: readonly Write[]) => void, refused: Refused) {
    this.#log = log
    this.#compaction = compaction
    this.#landed = landed
    this.#refused = refused
  }

  add(write: Write): void {
    this.#waiting.push(write)
    if (this.#gathering !== undefined && this.#waiting.length >= this.#gathering.enough) this.#start()
    else this.nudge()
  }

  /** Schedules a commit. It starts after this turn of the event loop, so that all writes of the turn share it. */
  nudge(): void {
    if (this.#busy || this.#scheduled || this.#gathering !== undefined) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#start()
    })
  }

  /** Commits waiting writes without maintenance, and resolves when no commit is in progress. */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve
      this.nudge()
    })
  }

  #startOrGather(enough: number): void {
    const waiting = this.#waiting.length
    if (enough < MANY_WRITES / 2 || waiting >= enough || this.#finished !== undefined) {
      this.#start()
    } else {
      this.#gathering = { enough, timeout: setTimeout(() => this.#start(), GATHER_MS) }
    }
  }

  #start(): void {
    clearTimeout(this.#gathering?.timeout)
    this.#gathering = undefined
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
        // The next commit is written while this one is published to readers.
        this.#startOrGather(writes.length / 2)
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
