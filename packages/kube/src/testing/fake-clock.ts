import type { Clock } from '../clock.js'

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** A clock that a test advances. */
export class FakeClock implements Clock {
  #elapsed = 0
  /** The system time when nothing had elapsed. */
  #start: number
  readonly #timers = new Set<Timer>()

  constructor(start: Date = new Date('2030-01-01T00:00:00Z')) {
    this.#start = start.getTime()
  }

  /** The number of pending timers. */
  get waiting(): number {
    return this.#timers.size
  }

  now(): Date {
    return new Date(this.#start + this.#elapsed)
  }

  elapsed(): number {
    return this.#elapsed
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { due: this.#elapsed + milliseconds, callback }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  /** Advances the clock and fires timers that are due, in order. */
  advance(milliseconds: number): void {
    const end = this.#elapsed + milliseconds
    for (;;) {
      const next = [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.#elapsed = Math.max(this.#elapsed, next.due)
      next.callback()
    }
    this.#elapsed = end
  }

  /** Sets the system time forward or back. No time elapses. */
  adjust(milliseconds: number): void {
    this.#start += milliseconds
  }
}
