import { MaestroError } from '../errors.js'

export interface BatchItem {
  /** Items with one key are never in flight together: they keep their order. */
  readonly key: string
  readonly bytes: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export interface BatchOptions<Item, Result> {
  /** Writes items in one transaction. Returns their results in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Batches in flight. While one waits for the disk, the next is prepared. Default 2. */
  readonly parallel?: number
  /** Items of a batch. Default 128. */
  readonly maxItems?: number
  /** Whether each item of a failed batch may be tried alone. */
  readonly isItemProblem: (error: unknown) => boolean
}

const MAX_ITEMS = 128
const MAX_BYTES = 8 * 1024 * 1024
/** What waits for the database. More is refused: a client that gets an error retries later. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** Group commit: items that come while others are written share the next transaction. */
export class Batcher<Item extends BatchItem, Result> {
  readonly #options: BatchOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #waitingBytes = 0
  readonly #keysInFlight = new Set<string>()
  #inFlight = 0
  #scheduled = false

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  submit(item: Item): Promise<Result> {
    if (this.#waitingBytes + item.bytes > MAX_WAITING_BYTES) {
      return Promise.reject(new MaestroError('Unavailable', 'too many writes wait for the database: retry later'))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#waitingBytes += item.bytes
      this.#schedule()
    })
  }

  /** After all messages that have already arrived: they belong in the same batch. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#start()
    })
  }

  #start(): void {
    const { parallel = 2 } = this.#options
    while (this.#inFlight < parallel && this.#waiting.length > 0) {
      const batch = this.#take()
      if (batch.length === 0) return
      this.#inFlight++
      void this.#write(batch).finally(() => {
        this.#inFlight--
        for (const { item } of batch) this.#keysInFlight.delete(item.key)
        this.#schedule()
      })
    }
  }

  /** The oldest items whose keys are free, as many as fit. */
  #take(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    const held = new Set<string>()
    const { maxItems = MAX_ITEMS } = this.#options
    let bytes = 0
    for (const one of this.#waiting) {
      const { key } = one.item
      const fits = taken.length < maxItems && (taken.length === 0 || bytes + one.item.bytes <= MAX_BYTES)
      if (!fits || this.#keysInFlight.has(key) || held.has(key)) {
        held.add(key)
        left.push(one)
        continue
      }
      bytes += one.item.bytes
      taken.push(one)
      held.add(key)
    }
    for (const { item } of taken) this.#keysInFlight.add(item.key)
    this.#waiting = left
    this.#waitingBytes -= bytes
    return taken
  }

  async #write(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length === 1 || !this.#options.isItemProblem(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      // One bad item must not fail the others.
      for (const one of batch) await this.#write([one])
    }
  }
}
