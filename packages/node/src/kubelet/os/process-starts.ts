import { FairList, type Flowing } from '@orrery/kube/fair'

/** Kept here, because tests replace the global timers. */
const later = setTimeout

interface Waiting extends Flowing<Waiting> {
  readonly run: () => void
}

/**
 * Starts processes one after the other. Starting one blocks this thread until the system runs it: a few milliseconds, and many on
 * a busy machine. After each start the thread is free for requests for as long, however many probes and commands wait. Flows, such
 * as namespaces, take turns.
 */
export class ProcessStarts {
  readonly #waiting = new FairList<Waiting>()
  #isResting = false

  /** Calls `start`, which blocks, when it is the turn of its flow. Rejects with what it throws. */
  run<T>(flow: string, start: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(start())
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.append({ flow, run, previous: undefined, next: undefined })
      if (!this.#isResting) this.#startNext()
    })
  }

  #startNext(): void {
    const next = this.#waiting.take()
    if (next === undefined) return
    const begin = performance.now()
    next.run()
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
