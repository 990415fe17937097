import type { Clock } from '../clock.js'
import { type Delayed, DelayHeap } from './delay-heap.js'
import type { Requeue } from './types.js'

/** One that waits: for a moment by the time of day, or for a while. */
export interface Waiting extends Delayed {
  isForMoment: boolean
}

/** Timers stand still while a machine sleeps, and do not notice that a clock is set: none is trusted for longer. */
const MAX_SLEEP = 60_000
const NEVER = Number.POSITIVE_INFINITY

/**
 * Calls each when its time has come. Whoever sets the clock moves the moments that some wait for, and not how long the
 * others wait. One timer serves all; it may go off too early, when the one it was for did not wait so long.
 */
export class DelayQueue<T extends Waiting> {
  readonly #clock: Clock
  readonly #onDue: (member: T) => void
  readonly #forMoments = new DelayHeap<T>()
  readonly #forWhiles = new DelayHeap<T>()
  #order = 0
  #timer: { readonly due: number; readonly cancel: () => void } | undefined

  constructor(clock: Clock, onDue: (member: T) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  add(member: T, until: Requeue): void {
    member.isForMoment = 'at' in until
    member.due = 'at' in until ? until.at.getTime() : this.#clock.elapsed() + until.afterMilliseconds
    member.order = this.#order++
    this.#heapOf(member).add(member)
    this.#setTimer()
  }

  /** Does nothing when it is not here. */
  remove(member: T): void {
    if (member.position === undefined) return
    this.#heapOf(member).remove(member)
    this.#setTimer()
  }

  #heapOf({ isForMoment }: T): DelayHeap<T> {
    return isForMoment ? this.#forMoments : this.#forWhiles
  }

  #setTimer(): void {
    const elapsed = this.#clock.elapsed()
    const momentDue = this.#forMoments.head?.due ?? NEVER
    const sleep = momentDue === NEVER ? NEVER : Math.min(momentDue - this.#clock.now().getTime(), MAX_SLEEP)
    const due = Math.min(elapsed + sleep, this.#forWhiles.head?.due ?? NEVER)
    if (due !== NEVER && this.#timer !== undefined && this.#timer.due <= due) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (due === NEVER) return
    this.#timer = { due, cancel: this.#clock.after(Math.max(0, due - elapsed), () => this.#wake()) }
  }

  #wake(): void {
    this.#timer = undefined
    const now = this.#clock.now().getTime()
    const elapsed = this.#clock.elapsed()
    for (let next = this.#due(now, elapsed); next !== undefined; next = this.#due(now, elapsed)) {
      this.#heapOf(next).remove(next)
      this.#onDue(next)
    }
    this.#setTimer()
  }

  /** The one whose time came first, of those whose time has come. */
  #due(now: number, elapsed: number): T | undefined {
    const moment = this.#forMoments.head
    const end = this.#forWhiles.head
    const momentLate = now - (moment?.due ?? NEVER)
    const endLate = elapsed - (end?.due ?? NEVER)
    if (momentLate < 0 && endLate < 0) return undefined
    if (momentLate === endLate) return (moment?.order ?? 0) < (end?.order ?? 0) ? moment : end
    return momentLate > endLate ? moment : end
  }
}
