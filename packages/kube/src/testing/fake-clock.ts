import type { Clock } from '../clock.js'

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** A clock that stands still until it is told to move. */
export class FakeClock implements Clock {
  #elapsed = 0
  /** What the time of day was when nothing had elapsed. */
  #start: number
  readonly #timers = new Set<Timer>()

  constructor(start: Date = new Date('2030-01-01T00:00:00Z')) {
    this.#start = start.getTime()
  }

  /** How many times somebody waits for. */
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

  /** Moves on, calling back what falls due on the way, in order. */
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

  /** Sets the time of day forward or back, as an administrator does. No time passes. */
  adjust(milliseconds: number): void {
    this.#start += milliseconds
  }
}
