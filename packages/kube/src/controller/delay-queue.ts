import type { Clock } from '../clock.js'
import { type Delayed, DelayHeap } from './delay-heap.js'
import type { Requeue } from './types.js'

/** A member that waits for a time of day, or for a duration. */
export interface Waiting extends Delayed {
  isForMoment: boolean
}

/** Timers stop while a machine sleeps, and do not notice when the system time is set: none is set for longer. */
const MAX_SLEEP = 60_000
const NEVER = Number.POSITIVE_INFINITY

/**
 * Calls back each member when it is due. Setting the system time affects members that wait for a time of day, but not
 * those that wait for a duration. One timer serves all; it may fire early if its member was removed.
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

  /** Does nothing if it is not a member. */
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

  /** The earliest of the members that are due. */
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
