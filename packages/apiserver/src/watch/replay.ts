import type { Change, Entry, Store } from '../store/types.js'
import { eventFrame } from './frame.js'
import type { WatchRequest } from './types.js'
import { ChangeView } from './view.js'

/** The annotation at the end of the initial events of a watch (KEP-3157). */
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

const CHUNK_BYTES = 64 * 1024
/** The maximum number of objects and changes for one chunk, since some encodings are slow. */
const CHUNK_STEPS = 200
const NOTHING = Buffer.alloc(0)

/** Reads what one watcher has not received yet from its initial list and then from history, one chunk at a time. */
export class Replay {
  readonly #store: Store
  readonly #request: WatchRequest
  #initial: readonly Entry[]
  #nextInitial = 0
  #markInitialEnd: boolean
  #changes: readonly Change[] = []
  #nextChange = 0
  #position: number

  constructor(store: Store, request: WatchRequest, since: number, initial: readonly Entry[], markInitialEnd: boolean) {
    this.#store = store
    this.#request = request
    this.#position = since
    this.#initial = initial
    this.#markInitialEnd = markInitialEnd
  }

  /** Changes up to this revision have been read. */
  get position(): number {
    return this.#position
  }

  /** Returns the next frames, possibly none; undefined at the end. Throws `RevisionCompacted`. */
  next(): Buffer | undefined {
    const frames: Buffer[] = []
    let bytes = 0
    for (let steps = 0; steps < CHUNK_STEPS && bytes < CHUNK_BYTES; steps++) {
      const frame = this.#step()
      if (frame === undefined) return frames.length === 0 ? undefined : joined(frames)
      if (frame === NOTHING) continue
      frames.push(frame)
      bytes += frame.length
    }
    return joined(frames)
  }

  #step(): Buffer | undefined {
    const { encoding, filter } = this.#request
    const entry = this.#initial[this.#nextInitial++]
    if (entry !== undefined) return this.#isInitial(entry) ? eventFrame('ADDED', encoding.object(entry)) : NOTHING
    this.#initial = []
    if (this.#markInitialEnd) {
      this.#markInitialEnd = false
      return eventFrame('BOOKMARK', encoding.bookmark(this.#position, INITIAL_END))
    }
    const change = this.#changes[this.#nextChange++] ?? this.#readOn()
    if (change === undefined) return undefined
    this.#position = change.revision
    return this.#isInScope(change.entry) ? (new ChangeView(change).frame(filter, encoding) ?? NOTHING) : NOTHING
  }

  /** Returns the first change that was not read yet. */
  #readOn(): Change | undefined {
    this.#changes = this.#store.changesSince(this.#request.bucket, this.#position)
    this.#nextChange = 1
    if (this.#changes.length === 0) this.#position = Math.max(this.#position, this.#store.revision)
    return this.#changes[0]
  }

  #isInitial(entry: Entry): boolean {
    const { filter } = this.#request
    return this.#isInScope(entry) && (filter === undefined || filter.matches(entry))
  }

  #isInScope(entry: Entry): boolean {
    const { namespace, name } = this.#request
    return (namespace === undefined || namespace === entry.namespace) && (name === undefined || name === entry.name)
  }
}

/** A single frame may be large and is not copied. */
function joined(frames: readonly Buffer[]): Buffer {
  return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames)
}
