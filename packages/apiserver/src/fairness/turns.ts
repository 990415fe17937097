/** Kept, because tests put other timers in the place of the global ones. */
const nextLoop = setImmediate

/** Long work takes this much of one round of the event loop, all users together, or this share of it if that is more. */
const ROUND_MILLISECONDS = 8
const SHARE = 1 / 3
/** However long the rest of a round was. */
const MAX_ROUND_MILLISECONDS = 100
/** Of so many users at most work has begun: it has its data at hand until it is over. */
const MAX_BEGUN = 32

/**
 * Works for a few milliseconds, and returns whether there is more to do. Does not throw. `alone` is the last slice of its
 * work, and no other follows in the same round.
 */
export type Slice = () => boolean | 'alone'

/** Work that waits for the turn of its user, or has begun. That of a single slice keeps nothing in memory between turns. */
interface Work {
  readonly slice: Slice
  state: 'waiting' | 'begun' | 'single'
}

/**
 * Long synchronous work in slices. Between rounds the event loop reads and answers what is short: health checks and
 * single objects never wait for more than one round. Users take turns, however much work one of them has. The work of
 * one user is done one after the other, and that of many users is begun only a few at a time, so that little of it is in memory. If
 * there is so much that is short that rounds take long, long work gets a share of the time all the same: else it would never end.
 */
export class Turns {
  readonly #queues = new Map<string, Work[]>()
  #isDue = false
  /** How much work has begun and is not over. */
  #begun = 0
  /** When the last round ended, if another follows. */
  #lastEnd: number | undefined
  #share = 0

  /** How long a slice may be at least, in milliseconds, so that long work gets its share of the time. */
  get share(): number {
    return this.#share
  }

  /** How many pieces of work wait. */
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

  /** Gives every user a slice, until it is too late. False when nobody may follow. */
  #round(end: number): boolean {
    // Users that are served go to the back of the map.
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
      // The work of a turn that was taken begins when this round has ended.
      if (more === 'alone') return false
      if (performance.now() >= end) break
    }
    return this.#queues.size > 0
  }

  /** Whether work has begun, or begins now. */
  #mayContinue(work: Work): boolean {
    if (work.state !== 'waiting') return true
    if (this.#begun >= MAX_BEGUN) return false
    work.state = 'begun'
    this.#begun++
    return true
  }
}

/** The event loop is one for the process, and so are the turns. */
export const turns = new Turns()

const SLICE_MILLISECONDS = 2
/** Work on more items than this waits for a turn before it starts. */
const AT_ONCE = 500

/** The pace of work that may wait in between, for a webhook say: it looks whether its slice is used up. */
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

/** Handles items one after the other, many of them in turns. Rejects with what `handle` throws. */
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
