/** Kept, because tests put other timers in the place of the global ones. */
const nextLoop = setImmediate

/** Long work takes this much of one round of the event loop at most, all users together. */
const ROUND_MILLISECONDS = 8

/**
 * Works for a few milliseconds, and returns whether there is more to do. Does not throw. `alone` is the last slice of its
 * work, and no other follows in the same round.
 */
export type Slice = () => boolean | 'alone'

/**
 * Long synchronous work in slices. Between rounds the event loop reads and answers what is short: health checks and
 * single objects never wait for more than one slice. Users take turns, however much work one of them has; the work of
 * one user is done one after the other, so that little of it is in memory.
 */
export class Turns {
  readonly #queues = new Map<string, Slice[]>()
  #isDue = false

  /** How many pieces of work wait. */
  get waiting(): number {
    let waiting = 0
    for (const queue of this.#queues.values()) waiting += queue.length
    return waiting
  }

  /** Runs slices for a user until there is no more to do. */
  run(user: string, slice: Slice): void {
    const queue = this.#queues.get(user)
    if (queue === undefined) this.#queues.set(user, [slice])
    else queue.push(slice)
    this.#continueSoon()
  }

  /** Resolves when it is the user's turn. What follows runs alone in its round of the event loop. */
  take(user: string): Promise<void> {
    return new Promise((resolve) => {
      this.run(user, () => {
        resolve()
        return 'alone'
      })
    })
  }

  #continueSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    nextLoop(() => {
      this.#isDue = false
      this.#round()
      if (this.#queues.size > 0) this.#continueSoon()
    })
  }

  #round(): void {
    const end = performance.now() + ROUND_MILLISECONDS
    // Users that are served go to the back of the map.
    for (const [user, queue] of [...this.#queues]) {
      const slice = queue[0]
      this.#queues.delete(user)
      if (slice === undefined) continue
      const more = slice()
      if (more !== true) queue.shift()
      if (queue.length > 0) this.#queues.set(user, queue)
      // The work of a turn that was taken begins when this round has ended.
      if (more === 'alone' || performance.now() >= end) return
    }
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
    this.#end = performance.now() + SLICE_MILLISECONDS
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
