/** What an operation works on. Without a machine it is the whole namespace; without a namespace, the agent. */
export interface Scope {
  readonly namespace: string
  readonly machine?: string
}

interface Lane {
  /** The last operation on the whole namespace. */
  whole: Promise<void>
  /** The last operation of each machine. */
  readonly machines: Map<string, Promise<void>>
  /** Operations that have not ended. */
  pending: number
}

/**
 * Runs operations on the same machine one after another, in the order they came, and others in parallel. An operation on
 * a data center waits for those on its machines that came before, and later ones wait for it.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  async run(scope: Scope, task: () => Promise<void>): Promise<void> {
    const lane = this.#lanes.get(scope.namespace) ?? { whole: Promise.resolve(), machines: new Map(), pending: 0 }
    this.#lanes.set(scope.namespace, lane)
    lane.pending++
    const before = scope.machine === undefined ? [...lane.machines.values()] : [lane.machines.get(scope.machine)]
    const run = Promise.all([lane.whole, ...before]).then(task)
    const settled = run.catch(() => undefined)
    if (scope.machine === undefined) lane.whole = settled
    else lane.machines.set(scope.machine, settled)
    try {
      await run
    } finally {
      if (scope.machine !== undefined && lane.machines.get(scope.machine) === settled)
        lane.machines.delete(scope.machine)
      if (--lane.pending === 0) this.#lanes.delete(scope.namespace)
    }
  }
}

/** Runs at most so many tasks at a time; the others wait in order. */
export class Slots {
  readonly #limit: () => number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: () => number) {
    this.#limit = limit
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
