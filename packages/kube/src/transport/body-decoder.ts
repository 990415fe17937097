import { type Framing, MalformedResponse } from './response-head.js'

/** Takes the bytes after a head and emits those of the body. */
export interface BodyDecoder {
  /** Returns how many bytes belonged to this response. */
  write(bytes: Buffer, emit: (piece: Buffer) => void): number
  /** Whether the body is complete. */
  readonly done: boolean
  /** Whether the end of the connection is the end of the body. */
  readonly endsWithConnection: boolean
}

export function bodyDecoder(framing: Framing): BodyDecoder {
  if (framing.kind === 'chunked') return new ChunkedBody()
  return framing.kind === 'length' ? new MeasuredBody(framing.length) : new OpenBody()
}

class MeasuredBody implements BodyDecoder {
  readonly endsWithConnection = false
  #rest: number

  constructor(length: number) {
    this.#rest = length
  }

  get done(): boolean {
    return this.#rest === 0
  }

  write(bytes: Buffer, emit: (piece: Buffer) => void): number {
    const taken = Math.min(bytes.length, this.#rest)
    this.#rest -= taken
    if (taken > 0) emit(taken === bytes.length ? bytes : bytes.subarray(0, taken))
    return taken
  }
}

class OpenBody implements BodyDecoder {
  readonly endsWithConnection = true
  readonly done = false

  write(bytes: Buffer, emit: (piece: Buffer) => void): number {
    if (bytes.length > 0) emit(bytes)
    return bytes.length
  }
}

const NEWLINE = 10
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?\r$/
/** No server needs longer ones. */
const MAX_LINE = 4096
const MAX_TRAILERS = 100

/**
 * | state   | reads                                   | next       |
 * |---------|-----------------------------------------|------------|
 * | size    | a line with the length of a chunk       | data; trailer if it is 0 |
 * | data    | that many bytes                         | after      |
 * | after   | the line end after them                 | size       |
 * | trailer | unused headers, up to an empty line     | done       |
 */
class ChunkedBody implements BodyDecoder {
  readonly endsWithConnection = false
  #state: 'size' | 'data' | 'after' | 'trailer' | 'done' = 'size'
  #rest = 0
  /** A line whose end has not arrived yet. */
  #line = ''
  #trailers = 0

  get done(): boolean {
    return this.#state === 'done'
  }

  write(bytes: Buffer, emit: (piece: Buffer) => void): number {
    let at = 0
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#rest)
        emit(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
        this.#rest -= end - at
        at = end
        if (this.#rest === 0) this.#state = 'after'
        continue
      }
      const newline = bytes.indexOf(NEWLINE, at)
      const end = newline < 0 ? bytes.length : newline
      this.#line += bytes.toString('latin1', at, end)
      if (this.#line.length > MAX_LINE) throw new MalformedResponse('a line between two chunks is too long')
      at = end + 1
      if (newline < 0) return bytes.length
      const line = this.#line
      this.#line = ''
      this.#takeLine(line)
    }
    return at
  }

  #takeLine(line: string): void {
    if (this.#state === 'size') {
      const size = CHUNK_SIZE.exec(line)?.[1]
      if (size === undefined) throw new MalformedResponse('a chunk does not begin with its size')
      this.#rest = Number.parseInt(size, 16)
      this.#state = this.#rest === 0 ? 'trailer' : 'data'
    } else if (this.#state === 'after') {
      if (line !== '\r') throw new MalformedResponse('a chunk is longer than its size')
      this.#state = 'size'
    } else if (line === '\r') {
      this.#state = 'done'
    } else if (++this.#trailers > MAX_TRAILERS) {
      throw new MalformedResponse('there are too many trailers')
    }
  }
}
