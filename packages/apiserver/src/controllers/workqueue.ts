import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'

/** Makes the world fit a key. Resolves to the milliseconds after which it wants to be called again, if it does. */
export type Reconcile = (key: string) => Promise<number | undefined> | Promise<void>

export interface WorkQueueOptions {
  readonly name: string
  readonly clock: Clock
  readonly log: Logger
  readonly reconcile: Reconcile
  /** How many keys are worked on at a time. Default 16. */
  readonly concurrency?: number
  /** For the jitter of retries: a number in [0, 1). Default Math.random. */
  readonly random?: () => number
}

const FIRST_RETRY = 10
const LAST_RETRY = 60_000

interface Delay {
  readonly at: number
  readonly cancel: () => void
}

/**
 * Keys that need work. A key is in the queue once however often it is added, is never worked on twice at a time, and
 * when added while it is being worked on comes again. A key that fails is retried, each time later than before.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #concurrency: number
  readonly #ready = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #again = new Set<string>()
  readonly #delayed = new Map<string, Delay>()
  readonly #failures = new Map<string, number>()
  readonly #firsts = new Set<string>()
  #onFirstsDone: (() => void) | undefined
  #scheduled = false
  #stopped = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
    this.#concurrency = options.concurrency ?? 16
  }

  add(key: string): void {
    if (this.#stopped) return
    this.#undelay(key)
    if (this.#running.has(key)) this.#again.add(key)
    else {
      this.#ready.add(key)
      this.#schedule()
    }
  }

  /** Adds a key after a while, unless it is due earlier anyway. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped || this.#ready.has(key) || this.#again.has(key)) return
    const { clock } = this.#options
    const at = clock.elapsed() + milliseconds
    const earlier = this.#delayed.get(key)
    if (earlier !== undefined && earlier.at <= at) return
    earlier?.cancel()
    this.#delayed.set(key, { at, cancel: clock.after(milliseconds, () => this.add(key)) })
  }

  /** Adds keys and resolves when each was worked on once, whether that went well or not. Called once. */
  addFirst(keys: Iterable<string>): Promise<void> {
    for (const key of keys) this.#firsts.add(key)
    if (this.#firsts.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onFirstsDone = resolve
      for (const key of this.#firsts) this.add(key)
    })
  }

  /** Takes no more work and resolves when what is being done is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const { cancel } of this.#delayed.values()) cancel()
    this.#delayed.clear()
    this.#ready.clear()
    this.#again.clear()
    this.#onFirstsDone?.()
    await Promise.all(this.#running.values())
  }

  #undelay(key: string): void {
    this.#delayed.get(key)?.cancel()
    this.#delayed.delete(key)
  }

  /** Keys come from inside the store's notification: work starts once that is over, with all keys of the batch at hand. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      this.#dispatch()
    })
  }

  #dispatch(): void {
    for (const key of this.#ready) {
      if (this.#running.size >= this.#concurrency) return
      this.#ready.delete(key)
      this.#running.set(key, this.#work(key))
    }
  }

  async #work(key: string): Promise<void> {
    try {
      const again = await this.#options.reconcile(key)
      this.#failures.delete(key)
      if (typeof again === 'number') this.addAfter(key, again)
    } catch (error) {
      this.#retry(key, error)
    }
    this.#running.delete(key)
    if (this.#firsts.delete(key) && this.#firsts.size === 0) this.#onFirstsDone?.()
    if (this.#again.delete(key)) this.#ready.add(key)
    if (!this.#stopped && this.#ready.size > 0) this.#schedule()
  }

  #retry(key: string, error: unknown): void {
    const { log, name, random = Math.random } = this.#options
    const failures = (this.#failures.get(key) ?? 0) + 1
    this.#failures.set(key, failures)
    const ceiling = Math.min(FIRST_RETRY * 2 ** Math.min(failures, 20), LAST_RETRY)
    const delay = Math.round(ceiling / 2 + (random() * ceiling) / 2)
    log.warn('reconciling failed and will be tried again', { controller: name, key, failures, delay, error })
    this.addAfter(key, delay)
  }
}
