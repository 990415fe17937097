/** More tasks wait than the queue keeps. */
export class QueueFull extends Error {}

/** Runs tasks of one key after another, and those of different keys at the same time. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #limit: number
  #size = 0

  /** @param limit Tasks that run or wait. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Throws `QueueFull` if there are too many tasks. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (this.#size >= this.#limit) throw new QueueFull(`${this.#limit} tasks are running or waiting`)
    this.#size += 1
    try {
      return await this.#after(key, task)
    } finally {
      this.#size -= 1
    }
  }

  #after<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    // The failure of one task is the concern of its caller, not of the next task.
    const run = before.then(task, task)
    const ended = run
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === ended) this.#last.delete(key)
      })
    this.#last.set(key, ended)
    return run
  }

  /** Resolves when all tasks so far have ended. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#last.values())
  }
}
