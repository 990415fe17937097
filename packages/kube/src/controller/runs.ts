import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { sharedByMany } from '../signals.js'

/** One reconcile in progress. */
export interface Run {
  readonly key: string
  /** Created when it is read. */
  abort: AbortController | undefined
  /** With the fields of the object. */
  readonly log: Logger
  /** By the clock's elapsed time. */
  readonly startedAt: number
  readonly attempt: number
  isSlow: boolean
}

/** The reconciles of a controller in progress, the oldest first. */
export class Runs {
  readonly #clock: Clock
  readonly #slowMilliseconds: number
  readonly #runs = new Map<string, Run>()
  #onEmpty: (() => void) | undefined
  #watching = false
  #aborted = false
  #cancel: () => void = () => undefined

  /** A run that takes longer than `slowMilliseconds` is logged once. */
  constructor(clock: Clock, slowMilliseconds: number) {
    this.#clock = clock
    this.#slowMilliseconds = slowMilliseconds
  }

  get size(): number {
    return this.#runs.size
  }

  /** Some of the keys in progress, the oldest first. */
  keys(limit: number): string[] {
    return [...this.#runs.keys()].slice(0, limit)
  }

  begin(key: string, attempt: number, log: Logger): Run {
    const run: Run = { key, abort: undefined, log, attempt, startedAt: this.#clock.elapsed(), isSlow: false }
    this.#runs.set(key, run)
    if (!this.#watching) this.#watch(this.#slowMilliseconds)
    return run
  }

  /** Returns its duration in milliseconds. */
  end(run: Run): number {
    this.#runs.delete(run.key)
    if (this.#runs.size === 0) this.#onEmpty?.()
    return this.#clock.elapsed() - run.startedAt
  }

  /**
   * Aborted when the run has to end. Each run has its own signal: listeners that are left on it are freed with the
   * run.
   */
  signalOf(run: Run): AbortSignal {
    if (run.abort === undefined) {
      run.abort = new AbortController()
      sharedByMany(run.abort.signal)
      if (this.#aborted) run.abort.abort()
    }
    return run.abort.signal
  }

  /** Aborts the runs in progress. */
  abort(): void {
    this.#aborted = true
    for (const { abort } of this.#runs.values()) abort?.abort()
  }

  /** The duration of the runs in progress: the longest, and the sum. */
  elapsedMilliseconds(): { longest: number; total: number } {
    const now = this.#clock.elapsed()
    let longest = 0
    let total = 0
    for (const { startedAt } of this.#runs.values()) {
      longest = Math.max(longest, now - startedAt)
      total += now - startedAt
    }
    return { longest, total }
  }

  /** Resolves with true when no run is in progress, or with false after a timeout. */
  whenEmpty(milliseconds: number): Promise<boolean> {
    if (this.#runs.size === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, () => {
        this.#onEmpty = undefined
        resolve(false)
      })
      this.#onEmpty = () => {
        cancel()
        resolve(true)
      }
    })
  }

  /** Stops logging slow runs. */
  close(): void {
    this.#cancel()
  }

  /** One timer for all: it fires when the oldest run becomes slow, which has often ended by then. */
  #watch(milliseconds: number): void {
    this.#watching = true
    this.#cancel = this.#clock.after(milliseconds, () => {
      this.#watching = false
      const now = this.#clock.elapsed()
      for (const run of this.#runs.values()) {
        if (run.isSlow) continue
        const rest = run.startedAt + this.#slowMilliseconds - now
        if (rest > 0) {
          this.#watch(rest)
          break
        }
        run.isSlow = true
        const seconds = (now - run.startedAt) / 1000
        run.log.warn('reconcile is slow', { attempt: run.attempt, seconds })
      }
    })
  }
}
