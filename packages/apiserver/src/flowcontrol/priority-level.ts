import { FairQueues } from './fair-queues.js'
import { RetryAfter } from './retry-after.js'
import type { PriorityLevelSpec } from './types.js'

/** Why a request gets no seats: kube-apiserver's own reasons. */
export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled'

/** Requests that are waited for are given up after this: a quarter of kube-apiserver's time for a request. */
const MAX_WAIT_MILLISECONDS = 15_000

/**
 * Requests of several seats leave this part of a level to those of one. They are long work, which shares one thread: many of
 * them end late and together, and what is short would wait for all of them.
 */
const SHORT_SHARE = 1 / 4

/** Seats that levels lend each other. */
export interface SeatPool {
  /** Seats that other levels have to lend now. */
  lendable(except: PriorityLevel): number
}

/** A request that asks a level for seats. */
export interface SeatRequest {
  readonly flow: string
  readonly seats: number
  /** Calls back when nobody waits for the answer any more. */
  readonly onGone: (callback: () => void) => void
}

/**
 * The seats of one priority level. A request takes some while it is served; without a free one it waits in a queue of
 * its flow, or is refused. Levels borrow seats that others have to lend at the moment.
 */
export class PriorityLevel {
  readonly name: string
  uid: string
  isExempt = false
  nominalSeats = 0
  readonly retryAfter = new RetryAfter()
  executing = 0
  seatsInUse = 0
  #longSeatsInUse = 0
  #lendableSeats = 0
  #borrowingLimit = Number.POSITIVE_INFINITY
  #queues: FairQueues | undefined
  readonly #pool: SeatPool

  constructor(name: string, uid: string, pool: SeatPool) {
    this.name = name
    this.uid = uid
    this.#pool = pool
  }

  get waiting(): number {
    return this.#queues?.size ?? 0
  }

  /** What it could give to others now. */
  get spareSeats(): number {
    return Math.max(0, Math.min(this.#lendableSeats, this.nominalSeats - this.seatsInUse))
  }

  get borrowedSeats(): number {
    return Math.max(0, this.seatsInUse - this.nominalSeats)
  }

  /** Takes over a configuration. Who waits in queues that are gone starts at once, being few. */
  configure(spec: PriorityLevelSpec, uid: string, nominalSeats: number): void {
    this.uid = uid
    this.isExempt = spec.type === 'Exempt'
    this.nominalSeats = nominalSeats
    const { lendablePercent = 0, borrowingLimitPercent, limitResponse } = spec.limited ?? {}
    this.#lendableSeats = Math.round((nominalSeats * lendablePercent) / 100)
    this.#borrowingLimit =
      borrowingLimitPercent === undefined
        ? Number.POSITIVE_INFINITY
        : Math.round((nominalSeats * borrowingLimitPercent) / 100)
    const queuing = limitResponse?.type === 'Queue' ? limitResponse.queuing : undefined
    const before = this.#queues
    this.#queues = queuing === undefined ? undefined : new FairQueues(queuing)
    for (let waiting = before?.take(); waiting !== undefined; waiting = before?.take()) waiting.start()
  }

  /** Takes seats if there are enough and nobody else is next. The way of nearly every request: nothing is made. */
  tryTake(seats: number): boolean {
    if (!this.isExempt && (this.#isAwaited() || !this.#allows(seats) || !this.#hasRoom(seats))) return false
    this.#seat(seats)
    return true
  }

  /** Waits for seats. Resolves with the reason when it gets none. */
  wait({ flow, seats, onGone }: SeatRequest): Promise<Rejection | undefined> {
    const queues = this.#queues
    if (queues === undefined) return Promise.resolve('concurrency-limit')
    return new Promise((resolve) => {
      let isSettled = false
      const settle = (rejection: Rejection | undefined) => {
        isSettled = true
        clearTimeout(timer)
        resolve(rejection)
      }
      const start = () => {
        this.#seat(seats)
        settle(undefined)
      }
      const timer = setTimeout(() => giveUp('time-out'), MAX_WAIT_MILLISECONDS)
      const leave = queues.add(flow, { seats, start })
      const giveUp = (rejection: Rejection) => {
        if (isSettled) return
        leave?.()
        settle(rejection)
      }
      if (leave === undefined) settle('queue-full')
      else onGone(() => giveUp('cancelled'))
    })
  }

  release(seats: number): void {
    this.executing--
    this.seatsInUse -= seats
    if (seats > 1) this.#longSeatsInUse -= seats
    if (this.waiting > 0) this.dispatch()
  }

  /** Starts whom there are seats for. */
  dispatch(): void {
    for (let next = this.#queues?.peek(this.#allows); next !== undefined; next = this.#queues?.peek(this.#allows)) {
      if (!this.#hasRoom(next.seats)) return
      this.#queues?.take(this.#allows)?.start()
    }
  }

  /** Whether somebody waits who is next. */
  #isAwaited(): boolean {
    return this.waiting > 0 && this.#queues?.peek(this.#allows) !== undefined
  }

  /** Whether requests of several seats leave enough to those of one. */
  readonly #allows = (seats: number): boolean => {
    if (seats === 1 || this.#longSeatsInUse === 0) return true
    return this.#isWithin(this.#longSeatsInUse + seats, Math.ceil(this.nominalSeats * (1 - SHORT_SHARE)))
  }

  #seat(seats: number): void {
    this.executing++
    this.seatsInUse += seats
    if (seats > 1) this.#longSeatsInUse += seats
  }

  /** A request that needs more than there is at all runs alone. */
  #hasRoom(seats: number): boolean {
    return this.seatsInUse === 0 || this.#isWithin(this.seatsInUse + seats, this.nominalSeats)
  }

  /** Whether seats are so many at most, or can be borrowed from other levels. */
  #isWithin(seats: number, own: number): boolean {
    if (seats <= own) return true
    return seats <= own + this.#borrowingLimit && seats - own <= this.#pool.lendable(this)
  }
}
