import { FairMap } from './fair-map.js'

export interface OutboxOptions<Change> {
  /** Sends a change. False if the receiver can not take more for now: `resume` is called when it can. */
  readonly send: (change: Change) => boolean
  /** Reads the current state of bundles whose change was dropped to save memory. */
  readonly reload: (ids: readonly string[]) => Promise<readonly Change[]>
  readonly isDeletion: (change: Change) => boolean
  /**
   * A deletion without what its receiver can do without, for one whose bundle cannot be read any more. Undefined if `reload`
   * finds it. Default: `reload` finds all.
   */
  readonly compact?: (deletion: Change) => Change | undefined
  readonly isNewer: (change: Change, other: Change) => boolean
  readonly sizeOf: (change: Change) => number
  /** Whose change it is. Flows take turns, so that one with many changes does not delay the others. */
  readonly flowOf: (change: Change) => string
  readonly onError: (error: unknown) => void
  /** Called when more deletions are pending than memory is for: the receiver has to resync. */
  readonly onOverflow?: () => void
  /** Bytes of pending changes. Default 8 MiB. */
  readonly maxBytes?: number
}

const MAX_BYTES = 8 * 1024 * 1024
const RELOAD_CHUNK = 32
/** Compact deletions may take this many times `maxBytes`. */
const DELETIONS_FACTOR = 4

/**
 * The pending changes of one subscriber: at most one for each bundle, the newest. A slow subscriber skips versions, and
 * neither stalls others nor takes memory without limit. Deletions and other changes take turns, and so do flows.
 */
export class Outbox<Change extends { readonly id: string }> {
  readonly #options: OutboxOptions<Change>
  readonly #changes = new FairMap<Change>()
  readonly #deletions = new FairMap<Change>()
  /** Pending changes that are read again when there is room. */
  readonly #dropped = new FairMap<undefined>()
  /** Those that are being read, with their flows. */
  readonly #reloading = new Map<string, string>()
  #bytes = 0
  #isPaused = false
  #isReloading = false
  #isClosed = false
  #deletionIsNext = false
  #onRoom: (() => void)[] = []

  constructor(options: OutboxOptions<Change>) {
    this.#options = options
  }

  /** How many bundles have a pending change. */
  get size(): number {
    return this.#changes.size + this.#deletions.size + this.#dropped.size + this.#reloading.size
  }

  push(change: Change): void {
    if (this.#isClosed) return
    this.#add(change)
    this.#flush()
  }

  /** Resolves when little is pending, so that many changes can be read and pushed one after the other. */
  room(): Promise<void> {
    if (this.#isClosed || this.size < RELOAD_CHUNK) return Promise.resolve()
    return new Promise((resolve) => this.#onRoom.push(resolve))
  }

  /** The receiver can take more. */
  resume(): void {
    this.#isPaused = false
    this.#flush()
  }

  close(): void {
    this.#isClosed = true
    for (const pending of [this.#changes, this.#deletions, this.#dropped, this.#reloading]) pending.clear()
    this.#wakeWaiting()
  }

  #add(change: Change): void {
    const { isDeletion, isNewer, sizeOf, flowOf, maxBytes = MAX_BYTES } = this.#options
    const { id } = change
    const flow = flowOf(change)
    const pending = this.#changes.get(id) ?? this.#deletions.get(id)
    if (pending !== undefined && !isNewer(change, pending)) return
    if (pending !== undefined) this.#bytes -= sizeOf(pending)
    const lane = isDeletion(change) ? this.#deletions : this.#changes
    // A deletion replaces other changes.
    if (lane === this.#deletions) this.#changes.delete(id)
    // What is being read may be older.
    this.#reloading.delete(id)
    const kept = this.#bytes + sizeOf(change) > maxBytes && lane.size > 0 ? this.#smaller(change) : change
    if (kept === undefined) {
      lane.delete(id)
      this.#dropped.set(id, flow, undefined)
      return
    }
    this.#dropped.delete(id)
    this.#bytes += sizeOf(kept)
    lane.set(id, flow, kept)
    if (this.#bytes > DELETIONS_FACTOR * maxBytes && lane.size > 1) this.#options.onOverflow?.()
  }

  /** What is kept of a change that does not fit. Undefined if it is read again later. */
  #smaller(change: Change): Change | undefined {
    return this.#options.isDeletion(change) ? this.#options.compact?.(change) : undefined
  }

  #flush(): void {
    while (!this.#isPaused && !this.#isClosed) {
      const change = this.#take()
      if (change === undefined) break
      if (!this.#options.send(change)) this.#isPaused = true
    }
    if (this.size < RELOAD_CHUNK) this.#wakeWaiting()
    if (!this.#isPaused && this.#dropped.size > 0) this.#reload()
  }

  #take(): Change | undefined {
    const [first, second] = this.#deletionIsNext ? [this.#deletions, this.#changes] : [this.#changes, this.#deletions]
    this.#deletionIsNext = !this.#deletionIsNext
    const change = (first.take() ?? second.take())?.value
    if (change !== undefined) this.#bytes -= this.#options.sizeOf(change)
    return change
  }

  #reload(): void {
    if (this.#isReloading) return
    this.#isReloading = true
    while (this.#reloading.size < RELOAD_CHUNK) {
      const next = this.#dropped.take()
      if (next === undefined) break
      this.#reloading.set(next.key, next.flow)
    }
    this.#options.reload([...this.#reloading.keys()]).then(
      (changes) => {
        this.#isReloading = false
        const wanted = changes.filter(({ id }) => this.#reloading.has(id))
        this.#reloading.clear()
        for (const change of wanted) this.#add(change)
        this.#flush()
      },
      (error) => {
        this.#isReloading = false
        for (const [id, flow] of this.#reloading) this.#dropped.set(id, flow, undefined)
        this.#reloading.clear()
        this.#options.onError(error)
      },
    )
  }

  #wakeWaiting(): void {
    const waiting = this.#onRoom
    this.#onRoom = []
    for (const resolve of waiting) resolve()
  }
}
