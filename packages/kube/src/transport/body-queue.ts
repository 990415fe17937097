import { constants } from 'node:buffer'

/** Beyond this the connection is paused until the reader continues. */
const MAX_WAITING = 256 * 1024
/** More does not fit into a string. */
const MAX_AT_ONCE = constants.MAX_STRING_LENGTH

const NOTHING = Buffer.alloc(0)

/** What a body uses of its connection. */
export interface BodySource {
  pause(): void
  resume(): void
  /** The reader does not need the rest. */
  cancel(): void
  /** The reader waits for the whole body: a long pause is an error. */
  expectAll(): void
}

interface Waiting {
  readonly resolve: (result: IteratorResult<Buffer>) => void
  readonly reject: (error: Error) => void
}

/** The body of a response, between its connection and its reader. */
export class BodyQueue implements AsyncIterableIterator<Buffer> {
  readonly #source: BodySource
  #pieces: Buffer[] = []
  #next = 0
  #size = 0
  #paused = false
  #state: 'open' | 'ended' | 'failed' | 'cancelled' = 'open'
  #error: Error | undefined
  #waiting: Waiting | undefined
  #collecting: { readonly resolve: (bytes: Buffer) => void; readonly reject: (error: Error) => void } | undefined

  constructor(source: BodySource) {
    this.#source = source
  }

  /** Whether it waits for the reader. */
  get paused(): boolean {
    return this.#paused
  }

  push(piece: Buffer): void {
    if (this.#state !== 'open') return
    const waiting = this.#waiting
    if (waiting !== undefined) {
      this.#waiting = undefined
      waiting.resolve({ value: piece, done: false })
      return
    }
    this.#pieces.push(piece)
    this.#size += piece.length
    if (this.#collecting !== undefined) {
      if (this.#size > MAX_AT_ONCE) this.#tooLarge()
    } else if (this.#size > MAX_WAITING && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
  }

  end(): void {
    if (this.#state !== 'open') return
    this.#state = 'ended'
    this.#waiting?.resolve({ value: undefined, done: true })
    this.#waiting = undefined
    this.#collecting?.resolve(this.#takeAll())
    this.#collecting = undefined
  }

  fail(error: Error): void {
    if (this.#state !== 'open') return
    this.#state = 'failed'
    this.#error = error
    this.#waiting?.reject(error)
    this.#waiting = undefined
    this.#collecting?.reject(error)
    this.#collecting = undefined
  }

  /** Fails, and drops unread data. */
  abort(error: Error): void {
    this.fail(error)
    this.#takeAll()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Buffer>> {
    const piece = this.#pieces[this.#next]
    if (piece !== undefined) {
      this.#next++
      this.#size -= piece.length
      if (this.#next === this.#pieces.length) this.#drained()
      return Promise.resolve({ value: piece, done: false })
    }
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (this.#state !== 'open') return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  return(): Promise<IteratorResult<Buffer>> {
    if (this.#state === 'open') {
      this.#state = 'cancelled'
      this.#source.cancel()
    }
    this.#takeAll()
    return Promise.resolve({ value: undefined, done: true })
  }

  /** Everything that has not been read yet. */
  bytes(): Promise<Buffer> {
    if (this.#error !== undefined) return Promise.reject(this.#error)
    if (this.#state !== 'open') return Promise.resolve(this.#takeAll())
    return new Promise((resolve, reject) => {
      this.#collecting = { resolve, reject }
      this.#source.expectAll()
      this.#resume()
    })
  }

  #drained(): void {
    this.#pieces = []
    this.#next = 0
    this.#resume()
  }

  #resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#source.resume()
  }

  #takeAll(): Buffer {
    const pieces = this.#next === 0 ? this.#pieces : this.#pieces.slice(this.#next)
    this.#pieces = []
    this.#next = 0
    this.#size = 0
    return pieces.length === 1 ? (pieces[0] ?? NOTHING) : Buffer.concat(pieces)
  }

  #tooLarge(): void {
    this.abort(new RangeError(`the response is larger than ${MAX_AT_ONCE} bytes: use pages with limit`))
    this.#source.cancel()
  }
}
