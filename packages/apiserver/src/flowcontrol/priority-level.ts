import type { PriorityLevelConfigurationSpec, QueuingConfiguration } from '@orrery/kinds/flowcontrol'
import { FairQueues } from './fair-queues.js'
import { RetryAfter } from './retry-after.js'

/** Why a request gets no seats: the reasons of kube-apiserver. */
export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled'

/** The maximum waiting time: a quarter of kube-apiserver's request timeout. */
const MAX_WAIT_MILLISECONDS = 15_000

/**
 * The share of a level reserved for single-seat requests. Requests with several seats are long work on one thread: many
 * of them end late and together, and short requests would wait for all of them.
 */
const SHORT_SHARE = 1 / 4

/** The seats that levels lend each other. */
export interface SeatPool {
  /** Returns the seats that other levels can lend now. */
  lendable(except: PriorityLevel): number
}

/** A request for seats of a level. */
export interface SeatRequest {
  readonly flow: string
  readonly seats: number
  /** Registers a callback for the disconnect of the client. */
  readonly onGone: (callback: () => void) => void
}

/**
 * The seats of one priority level. A request takes some while it is served; if none are free, it waits in a queue of
 * its flow or is refused. Levels borrow free seats of others.
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

  /** The seats that it could lend now. */
  get spareSeats(): number {
    return Math.max(0, Math.min(this.#lendableSeats, this.nominalSeats - this.seatsInUse))
  }

  get borrowedSeats(): number {
    return Math.max(0, this.seatsInUse - this.nominalSeats)
  }

  /** Applies a configuration. Requests in removed queues start immediately, since they are few. */
  configure(spec: PriorityLevelConfigurationSpec, uid: string, nominalSeats: number): void {
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
    // A stored object has its defaults.
    this.#queues = queuing === undefined ? undefined : new FairQueues(queuing as Required<QueuingConfiguration>)
    for (let waiting = before?.take(); waiting !== undefined; waiting = before?.take()) waiting.start()
  }

  /**
   * Takes seats if enough are free and no other request is next. Nearly all requests take this path, which allocates
   * nothing.
   */
  tryTake(seats: number): boolean {
    if (!this.isExempt && (this.#isAwaited() || !this.#allows(seats) || !this.#hasRoom(seats))) return false
    this.#seat(seats)
    return true
  }

  /** Waits for seats. Resolves with the reason if it gets none. */
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

  /** Starts the requests for which there are seats. */
  dispatch(): void {
    for (let next = this.#queues?.peek(this.#allows); next !== undefined; next = this.#queues?.peek(this.#allows)) {
      if (!this.#hasRoom(next.seats)) return
      this.#queues?.take(this.#allows)?.start()
    }
  }

  /** Returns whether an allowed request waits. */
  #isAwaited(): boolean {
    return this.waiting > 0 && this.#queues?.peek(this.#allows) !== undefined
  }

  /** Returns whether requests with several seats leave enough for single-seat requests. */
  readonly #allows = (seats: number): boolean => {
    if (seats === 1 || this.#longSeatsInUse === 0) return true
    return this.#isWithin(this.#longSeatsInUse + seats, Math.ceil(this.nominalSeats * (1 - SHORT_SHARE)))
  }

  #seat(seats: number): void {
    this.executing++
    this.seatsInUse += seats
    if (seats > 1) this.#longSeatsInUse += seats
  }

  /** A request that needs more seats than exist runs alone. */
  #hasRoom(seats: number): boolean {
    return this.seatsInUse === 0 || this.#isWithin(this.seatsInUse + seats, this.nominalSeats)
  }

  /** Returns whether the seats are within the level's own, or can be borrowed. */
  #isWithin(seats: number, own: number): boolean {
    if (seats <= own) return true
    return seats <= own + this.#borrowingLimit && seats - own <= this.#pool.lendable(this)
  }
}
