import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { sharedByMany } from '../signals.js'

/** One object being worked on. */
export interface Run {
  readonly key: string
  /** Made when it is asked for. */
  abort: AbortController | undefined
  /** Marked with the object. */
  readonly log: Logger
  /** By the clock's elapsed time. */
  readonly startedAt: number
  readonly attempt: number
  isSlow: boolean
}

/** What a controller has in flight, the oldest first. */
export class Runs {
  readonly #clock: Clock
  readonly #slowMilliseconds: number
  readonly #runs = new Map<string, Run>()
  #onEmpty: (() => void) | undefined
  #watching = false
  #aborted = false
  #cancel: () => void = () => undefined

  /** A run that takes longer than is said is told of, once. */
  constructor(clock: Clock, slowMilliseconds: number) {
    this.#clock = clock
    this.#slowMilliseconds = slowMilliseconds
  }

  get size(): number {
    return this.#runs.size
  }

  /** Some of the keys in flight, the oldest first. */
  keys(limit: number): string[] {
    return [...this.#runs.keys()].slice(0, limit)
  }

  begin(key: string, attempt: number, log: Logger): Run {
    const run: Run = { key, abort: undefined, log, attempt, startedAt: this.#clock.elapsed(), isSlow: false }
    this.#runs.set(key, run)
    if (!this.#watching) this.#watch(this.#slowMilliseconds)
    return run
  }

  /** Returns how many milliseconds it took. */
  end(run: Run): number {
    this.#runs.delete(run.key)
    if (this.#runs.size === 0) this.#onEmpty?.()
    return this.#clock.elapsed() - run.startedAt
  }

  /**
   * Aborted when the runs have to end. Each run has its own: what somebody leaves behind on one goes with the run, and
   * does not pile up for as long as the controller lives.
   */
  signalOf(run: Run): AbortSignal {
    if (run.abort === undefined) {
      run.abort = new AbortController()
      sharedByMany(run.abort.signal)
      if (this.#aborted) run.abort.abort()
    }
    return run.abort.signal
  }

  /** Tells those in flight to end. */
  abort(): void {
    this.#aborted = true
    for (const { abort } of this.#runs.values()) abort?.abort()
  }

  /** How long those in flight have taken so far, the longest and together. */
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

  /** Resolves with true when nothing is in flight, or with false after a time. */
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

  /** Tells no more of slow runs. */
  close(): void {
    this.#cancel()
  }

  /** One timer for all: it goes off when the oldest one would be slow, and often finds that it is done. */
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
        run.log.warn('reconcile takes long', { attempt: run.attempt, seconds })
      }
    })
  }
}
