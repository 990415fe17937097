import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { type Requeue, type Work, WorkQueue } from '@orrery/kube/controller'

/** Reconciles one key. Resolves with when to reconcile it again, if at all. */
export type Reconcile = (key: string) => Promise<Requeue | undefined> | Promise<void>

export interface WorkerOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly reconcile: Reconcile
  /** The maximum number of keys in flight. Defaults to 16. */
  readonly concurrency?: number
  /** Keys of different flows take turns. Defaults to the namespace of a key `namespace/name`. */
  readonly flowOf?: (key: string) => string
}

/** Failures of the server's own state end with the problem of its disk, so the back-off is short. */
const BACKOFF = { maxMilliseconds: 60_000 }

/** How long reconciles are started before the event loop serves requests. Some read and write large objects. */
const SLICE_MILLISECONDS = 10
/** Kept here, because tests replace the global timers. */
const nextLoop = setImmediate

/** Reconciles the keys of a work queue. Work begins after the notification of the store that added them. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #queue: WorkQueue
  readonly #firsts = new Set<string>()
  #onFirstsDone: (() => void) | undefined
  #onIdle: (() => void) | undefined
  #scheduled = false
  /** When to start no more reconciles in this round of the event loop. */
  #sliceEnd: number | undefined

  constructor(options: WorkerOptions) {
    this.#options = options
    const { clock, concurrency = 16, flowOf } = options
    this.#queue = new WorkQueue({ clock, concurrency, flowOf, backoff: BACKOFF, onReady: () => this.#schedule() })
  }

  add(key: string): void {
    this.#queue.add(key)
  }

  /** Adds keys and resolves when each was reconciled once, with or without success. Call it once. */
  addFirst(keys: Iterable<string>): Promise<void> {
    for (const key of keys) this.#firsts.add(key)
    if (this.#firsts.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onFirstsDone = resolve
      for (const key of this.#firsts) this.#queue.add(key, 'resync')
    })
  }

  /** Takes no more keys and resolves when none is in flight. */
  async stop(): Promise<void> {
    this.#queue.close()
    this.#onFirstsDone?.()
    if (this.#queue.running === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(() => {
      this.#scheduled = false
      this.#fill()
    })
  }

  #fill(): void {
    const { clock } = this.#options
    while (this.#queue.mayTake) {
      this.#sliceEnd ??= this.#beginSlice()
      if (clock.elapsed() > this.#sliceEnd) return
      const work = this.#queue.take()
      if (work === undefined) return
      void this.#run(work)
    }
  }

  #beginSlice(): number {
    nextLoop(() => {
      this.#sliceEnd = undefined
      this.#fill()
    })
    return this.#options.clock.elapsed() + SLICE_MILLISECONDS
  }

  /** Never rejects. */
  async #run({ key, attempt }: Work): Promise<void> {
    let again: Requeue | undefined
    let failure: { readonly error: unknown } | undefined
    try {
      again = (await this.#options.reconcile(key)) ?? undefined
    } catch (error) {
      failure = { error }
    }
    if (failure === undefined) this.#queue.succeed(key, again)
    else this.#failed(key, attempt, failure.error)
    if (this.#firsts.delete(key) && this.#firsts.size === 0) this.#onFirstsDone?.()
    if (this.#queue.running === 0) this.#onIdle?.()
    this.#fill()
  }

  #failed(key: string, attempt: number, error: unknown): void {
    const wait = this.#queue.fail(key)
    const nextTry = new Date(this.#options.clock.now().getTime() + wait)
    this.#options.log.warn('reconcile failed', { key, attempt, nextTry, error })
  }
}
