import type { Compaction } from './committer.js'
import type { History } from './history.js'
import type { LogMeta } from './meta.js'
import { StorageRefused } from './types.js'

/** The number of changes to remove with one commit: few enough to take well under a millisecond. */
const SWEEP = 256
/** For larger commits, the number of changes to remove for each write: history must shrink faster than it grows. */
const SWEEP_PER_WRITE = 2

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Removes compacted history from the log, a few records with each commit. */
export class Compactor implements Compaction {
  readonly #history: History
  readonly #cluster: string
  readonly #newest: () => number
  /** Records in the log that are no longer needed. */
  #garbage: number[]
  #taken: number[] = []
  /** The compacted revision that the log on disk records. */
  #recorded: number
  #recording = 0
  #waiters: Waiter[] = []
  /** Whether an empty commit is requested, to check whether commits succeed. */
  #probing = false
  /**
   * The number of changes for each commit. After a failure it starts at one: on a full disk each removal makes space
   * for the next.
   */
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

  /** Requests a commit although nothing needs one. */
  probe(): void {
    this.#probing = true
  }

  /** Stops all work. The next process finds the rest. */
  abandon(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('the store was closed'))
  }

  /** Resolves when everything compacted so far is removed from the log. */
  finished(): Promise<void> {
    if (!this.#isDue() && this.#taken.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  #isDue(): boolean {
    if (this.#probing || this.#garbage.length > 0) return true
    return this.#history.unswept || this.#recorded !== this.#history.compacted
  }
}
