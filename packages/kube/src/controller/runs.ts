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
  /** By the stopwatch. */
  readonly startedAt: number
  /** By the clock, in milliseconds since 1970. */
  readonly slowAt: number
  readonly attempt: number
  isSlow: boolean
}

export interface RunsOptions {
  readonly clock: Clock
  readonly stopwatch: () => number
  /** A run that takes longer is told of, once. */
  readonly slowMilliseconds: number
}

/** What a controller has in flight, the oldest first. */
export class Runs {
  readonly #options: RunsOptions
  readonly #runs = new Map<string, Run>()
  #onEmpty: (() => void) | undefined
  #watching = false
  #aborted = false
  #cancel: () => void = () => undefined

  constructor(options: RunsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#runs.size
  }

  /** Some of the keys in flight, the oldest first. */
  keys(limit: number): string[] {
    return [...this.#runs.keys()].slice(0, limit)
  }

  begin(key: string, attempt: number, log: Logger): Run {
    const { clock, stopwatch, slowMilliseconds } = this.#options
    const slowAt = clock.now().getTime() + slowMilliseconds
    const run: Run = { key, abort: undefined, log, attempt, startedAt: stopwatch(), slowAt, isSlow: false }
    this.#runs.set(key, run)
    if (!this.#watching) this.#watch(slowMilliseconds)
    return run
  }

  /** Returns how many milliseconds it took. */
  end(run: Run): number {
    this.#runs.delete(run.key)
    if (this.#runs.size === 0) this.#onEmpty?.()
    return this.#options.stopwatch() - run.startedAt
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
    const now = this.#options.stopwatch()
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
      const cancel = this.#options.clock.after(milliseconds, () => {
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
    this.#cancel = this.#options.clock.after(milliseconds, () => {
      this.#watching = false
      const now = this.#options.clock.now().getTime()
      for (const run of this.#runs.values()) {
        if (run.isSlow) continue
        if (run.slowAt > now) {
          this.#watch(run.slowAt - now)
          break
        }
        run.isSlow = true
        const seconds = (this.#options.stopwatch() - run.startedAt) / 1000
        run.log.warn('reconcile takes long', { attempt: run.attempt, seconds })
      }
    })
  }
}
