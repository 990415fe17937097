import type { Entry, Store } from '../store/types.js'
import { eventFrame } from './frame.js'
import type { WatchRequest } from './types.js'
import { ChangeView } from './view.js'

/** The annotation at the end of the initial events of a watch (KEP-3157). */
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

/** The size of a chunk, and of the objects that are read for it: a selector may drop all of them. */
const CHUNK_BYTES = 64 * 1024
/** The maximum number of objects and changes for one chunk, since some encodings are slow. */
const CHUNK_STEPS = 200

/** Reads what one watcher has not received yet from its initial list and then from history, one chunk at a time. */
export class Replay {
  readonly #store: Store
  readonly #request: WatchRequest
  #initial: readonly Entry[]
  #nextInitial = 0
  #markInitialEnd: boolean
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
    const chunk = new Chunk()
    const isAtEnd = this.#readInitial(chunk) && this.#readChanges(chunk)
    return isAtEnd && chunk.isEmpty ? undefined : chunk.joined()
  }

  /** Returns whether all is read, as opposed to a full chunk. */
  #readInitial(chunk: Chunk): boolean {
    const { encoding } = this.#request
    while (this.#nextInitial < this.#initial.length) {
      if (chunk.isFull) return false
      const entry = this.#initial[this.#nextInitial++] as Entry
      chunk.add(this.#isInitial(entry) ? eventFrame('ADDED', encoding.object(entry)) : undefined, entry.bytes.length)
    }
    this.#initial = []
    this.#nextInitial = 0
    if (this.#markInitialEnd) {
      this.#markInitialEnd = false
      chunk.add(eventFrame('BOOKMARK', encoding.bookmark(this.#position, INITIAL_END)), 0)
    }
    return true
  }

  /** Returns whether all is read, as opposed to a full chunk. */
  #readChanges(chunk: Chunk): boolean {
    const { bucket, encoding, filter } = this.#request
    for (const change of this.#store.changesSince(bucket, this.#position, this.#request)) {
      this.#position = change.revision
      const read = change.entry.bytes.length + (change.previous?.bytes.length ?? 0)
      chunk.add(new ChangeView(change).frame(filter, encoding), read)
      if (chunk.isFull) return false
    }
    this.#position = Math.max(this.#position, this.#store.revision)
    return true
  }

  #isInitial(entry: Entry): boolean {
    const { filter, namespace, name } = this.#request
    const isInScope =
      (namespace === undefined || namespace === entry.namespace) && (name === undefined || name === entry.name)
    return isInScope && (filter === undefined || filter.matches(entry))
  }
}

class Chunk {
  readonly #frames: Buffer[] = []
  #bytes = 0
  #steps = 0

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  get isFull(): boolean {
    return this.#steps >= CHUNK_STEPS || this.#bytes >= CHUNK_BYTES
  }

  /** Adds a frame, if any, for which `read` bytes were read. */
  add(frame: Buffer | undefined, read: number): void {
    this.#steps++
    this.#bytes += Math.max(read, frame?.length ?? 0)
    if (frame !== undefined) this.#frames.push(frame)
  }

  /** A single frame may be large and is not copied. */
  joined(): Buffer {
    return this.#frames.length === 1 ? (this.#frames[0] as Buffer) : Buffer.concat(this.#frames)
  }
}
