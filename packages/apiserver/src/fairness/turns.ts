/** Kept here, because tests replace the global timers. */
const nextLoop = setImmediate

/** The time for long work in one round of the event loop, for all users together, or its share if that is more. */
const ROUND_MILLISECONDS = 8
const SHARE = 1 / 3
/** The maximum time of a round. */
const MAX_ROUND_MILLISECONDS = 100
/** The maximum number of started works, which keep their data in memory until they end. */
const MAX_BEGUN = 32

/**
 * Works for a few milliseconds and returns whether there is more to do. Does not throw. `alone` marks the last slice;
 * no other slice follows in the same round.
 */
export type Slice = () => boolean | 'alone'

/**
 * Work that waits for the turn of its user, or has started. Work of a single slice keeps nothing in memory between
 * turns.
 */
interface Work {
  readonly slice: Slice
  state: 'waiting' | 'begun' | 'single'
}

/**
 * Runs long synchronous work in slices. Between rounds the event loop serves short requests: health checks and single
 * objects never wait for more than one round. Users take turns, however much work one of them has. The works of one
 * user run one at a time, and only a few works of all users are started at a time, so that little of it is in memory.
 * Under a load of short requests, long work still gets a share of the time; otherwise it would never end.
 */
export class Turns {
  readonly #queues = new Map<string, Work[]>()
  #isDue = false
  /** The number of started works. */
  #begun = 0
  /** When the last round ended, if another follows. */
  #lastEnd: number | undefined
  #share = 0

  /** The minimum length of a slice in milliseconds, so that long work gets its share of the time. */
  get share(): number {
    return this.#share
  }

  /** The number of waiting works. */
  get waiting(): number {
    let waiting = 0
    for (const queue of this.#queues.values()) waiting += queue.length
    return waiting
  }

  /** Runs slices for a user until there is no more to do. */
  run(user: string, slice: Slice): void {
    this.#add(user, { slice, state: 'waiting' })
  }

  /** Resolves when it is the user's turn. What follows runs alone in its round of the event loop. */
  take(user: string): Promise<void> {
    return new Promise((resolve) => {
      const slice = () => {
        resolve()
        return 'alone' as const
      }
      this.#add(user, { slice, state: 'single' })
    })
  }

  #add(user: string, work: Work): void {
    const queue = this.#queues.get(user)
    if (queue === undefined) this.#queues.set(user, [work])
    else queue.push(work)
    this.#continueSoon()
  }

  #continueSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    nextLoop(() => {
      this.#isDue = false
      const start = performance.now()
      const others = this.#lastEnd === undefined ? 0 : start - this.#lastEnd
      this.#share = Math.min((others * SHARE) / (1 - SHARE), MAX_ROUND_MILLISECONDS)
      while (this.#round(start + ROUND_MILLISECONDS) && performance.now() < start + this.#share);
      const continues = this.#queues.size > 0
      this.#lastEnd = continues ? performance.now() : undefined
      if (continues) this.#continueSoon()
    })
  }

  /** Gives every user a slice, until the deadline. Returns false if no slice may follow. */
  #round(end: number): boolean {
    // Served users move to the end of the map.
    for (const [user, queue] of [...this.#queues]) {
      const work = queue[0]
      if (work === undefined || !this.#mayContinue(work)) continue
      const more = work.slice()
      if (more !== true) {
        if (work.state === 'begun') this.#begun--
        queue.shift()
      }
      this.#queues.delete(user)
      if (queue.length > 0) this.#queues.set(user, queue)
      // The work of a taken turn starts after this round.
      if (more === 'alone') return false
      if (performance.now() >= end) break
    }
    return this.#queues.size > 0
  }

  /** Returns whether a work has started, or may start now. */
  #mayContinue(work: Work): boolean {
    if (work.state !== 'waiting') return true
    if (this.#begun >= MAX_BEGUN) return false
    work.state = 'begun'
    this.#begun++
    return true
  }
}

/** One for the process, since the event loop is shared. */
export const turns = new Turns()

const SLICE_MILLISECONDS = 2
/** Work on more items than this waits for a turn before it starts. */
const AT_ONCE = 500

/** The pace of work that awaits something in between, such as a webhook: it checks whether its slice is used up. */
export class Pace {
  readonly #user: string
  #end = performance.now() + SLICE_MILLISECONDS

  constructor(user: string) {
    this.#user = user
  }

  get isUsedUp(): boolean {
    return performance.now() >= this.#end
  }

  /** Resolves when it is the user's turn again. */
  async next(): Promise<void> {
    await turns.take(this.#user)
    this.#end = performance.now() + Math.max(SLICE_MILLISECONDS, turns.share)
  }
}

/** Handles items in order, many of them in turns. Rejects with what `handle` throws. */
export async function inTurns<T>(
  user: string,
  items: readonly T[],
  handle: (item: T) => void | Promise<void>,
): Promise<void> {
  const pace = new Pace(user)
  if (items.length > AT_ONCE) await pace.next()
  for (const item of items) {
    if (pace.isUsedUp) await pace.next()
    const handling = handle(item)
    if (handling !== undefined) await handling
  }
}
