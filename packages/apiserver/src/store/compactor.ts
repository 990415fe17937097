import type { Compaction } from './committer.js'
import type { History } from './history.js'
import type { LogMeta } from './meta.js'
import { StorageRefused } from './types.js'

/** Changes given up with one commit: few enough to take well under a millisecond. */
const SWEEP = 256
/** With more writes than that in a commit, this many changes a write: history has to shrink faster than it grows. */
const SWEEP_PER_WRITE = 2

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Takes compacted history out of the log, a few records with every commit. */
export class Compactor implements Compaction {
  readonly #history: History
  readonly #cluster: string
  readonly #newest: () => number
  /** Records nobody needs that are still in the log. */
  #garbage: number[]
  #taken: number[] = []
  /** What the log on disk says it is compacted to. */
  #recorded: number
  #recording = 0
  #waiters: Waiter[] = []
  /** A commit is wanted that changes nothing, to see whether it succeeds. */
  #probing = false
  /** What goes with one commit. After a failure one change at first: on a full disk each makes room for the next. */
  #pace = SWEEP

  constructor(history: History, cluster: string, garbage: number[], newest: () => number) {
    this.#history = history
    this.#cluster = cluster
    this.#garbage = garbage
    this.#newest = newest
    this.#recorded = history.compacted
  }

  take(writes: number): { drop: readonly number[]; meta: LogMeta } | undefined {
    if (!this.#isDue()) return undefined
    const sweep = Math.max(this.#pace, writes * SWEEP_PER_WRITE)
    for (const revision of this.#history.sweep(sweep)) this.#garbage.push(revision)
    this.#taken = this.#garbage.splice(0, 2 * sweep)
    this.#recording = this.#history.compacted
    const meta: LogMeta = { format: 1, cluster: this.#cluster, compacted: this.#recording, revision: this.#newest() }
    return { drop: this.#taken, meta }
  }

  done(): void {
    this.#taken = []
    this.#probing = false
    this.#pace = Math.min(2 * this.#pace, SWEEP)
    this.#recorded = this.#recording
    if (!this.#isDue()) for (const waiter of this.#waiters.splice(0)) waiter.resolve()
  }

  failed(error: unknown, alone: boolean): void {
    this.#garbage = this.#taken.concat(this.#garbage)
    this.#taken = []
    this.#probing = false
    this.#pace = 1
    if (!alone) return
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new StorageRefused(error))
  }

  /** Tries a commit although nothing needs one. */
  probe(): void {
    this.#probing = true
  }

  /** Nothing more will be committed: what is left is for the next process to find. */
  abandon(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('the store was closed'))
  }

  /** Resolves when all that was compacted so far has left the log. */
  finished(): Promise<void> {
    if (!this.#isDue() && this.#taken.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  #isDue(): boolean {
    if (this.#probing || this.#garbage.length > 0) return true
    return this.#history.unswept || this.#recorded !== this.#history.compacted
  }
}
