import { FairList, type Flowing } from '@orrery/kube/fair'
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

/** The waiting items with one key, in their order. It stays while one of them is in flight. */
interface Line<Item, Result> extends Flowing<Line<Item, Result>> {
  readonly key: string
  readonly waiting: Waiting<Item, Result>[]
}

interface Taken<Item, Result> extends Waiting<Item, Result> {
  readonly line: Line<Item, Result>
}

export interface BatchOptions<Item, Result> {
  /** Writes items in one transaction. Returns their results in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Batches in flight. While one waits for the disk, the next is prepared. Default 2. */
  readonly parallel?: number
  /** Items of a batch. Default 128. */
  readonly maxItems?: number
  /**
   * Whose item it is. Flows take turns, so that one with many items does not delay the others. Items with one key have one flow.
   * Default: one flow for all.
   */
  readonly flowOf?: (item: Item) => string
  /** Whether each item of a failed batch may be tried alone. */
  readonly isItemProblem: (error: unknown) => boolean
}

const MAX_ITEMS = 128
const MAX_BYTES = 8 * 1024 * 1024
/** What waits for the database. More is refused: a client that gets an error retries later. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024
/** The bytes of one flow that wait, as a multiple of the room that is left for the others. */
const SHARE_OF_ROOM = 8

/** Group commit: items that come while others are written share the next transaction. */
export class Batcher<Item extends BatchItem, Result> {
  readonly #options: BatchOptions<Item, Result>
  readonly #lines = new Map<string, Line<Item, Result>>()
  /** The lines that have waiting items and none in flight. */
  readonly #ready = new FairList<Line<Item, Result>>()
  #waitingBytes = 0
  readonly #bytesByFlow = new Map<string, number>()
  #inFlight = 0
  #scheduled = false

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  submit(item: Item): Promise<Result> {
    const flow = this.#options.flowOf?.(item) ?? ''
    if (!this.#hasRoom(flow, item.bytes)) {
      return Promise.reject(new MaestroError('Unavailable', 'too many writes wait for the database: retry later'))
    }
    return new Promise((resolve, reject) => {
      const line = this.#lineOf(item.key, flow)
      line.waiting.push({ item, resolve, reject })
      this.#count(line.flow, item.bytes)
      this.#schedule()
    })
  }

  #hasRoom(flow: string, bytes: number): boolean {
    const room = MAX_WAITING_BYTES - this.#waitingBytes - bytes
    return room >= 0 && (this.#bytesByFlow.get(flow) ?? 0) <= room * SHARE_OF_ROOM
  }

  /** The line of a key, which becomes ready with its first item. */
  #lineOf(key: string, flow: string): Line<Item, Result> {
    let line = this.#lines.get(key)
    if (line === undefined) {
      line = { key, flow, waiting: [], previous: undefined, next: undefined }
      this.#lines.set(key, line)
      this.#ready.append(line)
    }
    return line
  }

  #count(flow: string, bytes: number): void {
    this.#waitingBytes += bytes
    const total = (this.#bytesByFlow.get(flow) ?? 0) + bytes
    if (total === 0) this.#bytesByFlow.delete(flow)
    else this.#bytesByFlow.set(flow, total)
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
    while (this.#inFlight < parallel && this.#ready.size > 0) {
      const batch = this.#take()
      this.#inFlight++
      void this.#write(batch).finally(() => {
        this.#inFlight--
        for (const { line } of batch) this.#release(line)
        this.#schedule()
      })
    }
  }

  /** The next items whose keys are free, as many as fit. */
  #take(): Taken<Item, Result>[] {
    const { maxItems = MAX_ITEMS } = this.#options
    const taken: Taken<Item, Result>[] = []
    let bytes = 0
    while (taken.length < maxItems) {
      const size = this.#ready.first?.waiting[0]?.item.bytes
      if (size === undefined || (taken.length > 0 && bytes + size > MAX_BYTES)) break
      const line = this.#ready.take() as Line<Item, Result>
      taken.push({ ...(line.waiting.shift() as Waiting<Item, Result>), line })
      bytes += size
      this.#count(line.flow, -size)
    }
    return taken
  }

  #release(line: Line<Item, Result>): void {
    if (line.waiting.length > 0) this.#ready.append(line)
    else this.#lines.delete(line.key)
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
