/** Kept here, because tests replace the global timers. */
const later = setTimeout

/**
 * Starts processes one after the other. Starting one blocks this thread until the system runs it: a few milliseconds, and many on
 * a busy machine. After each start the thread is free for requests for as long, however many probes and commands wait. Flows, such
 * as namespaces, take turns.
 */
export class ProcessStarts {
  /** What waits, in the order of the flows' turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isResting = false

  /** Calls `start`, which blocks, when it is the turn of its flow. Rejects with what it throws. */
  run<T>(flow: string, start: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(flow) ?? []
      this.#waiting.set(flow, queue)
      queue.push(() => {
        try {
          resolve(start())
        } catch (error) {
          reject(error)
        }
      })
      if (!this.#isResting) this.#startNext()
    })
  }

  #startNext(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const [flow, queue] = first
    const start = queue.shift()
    // The flow is last in the next round.
    this.#waiting.delete(flow)
    if (queue.length > 0) this.#waiting.set(flow, queue)
    const begin = performance.now()
    start?.()
    this.#isResting = true
    const spent = performance.now() - begin
    later(() => {
      this.#isResting = false
      this.#startNext()
    }, spent)
  }
}

/** One for the process, since the thread is shared. */
export const processStarts = new ProcessStarts()
