import type { LogRequest } from './log-source.js'

export type LogStream = 'stdout' | 'stderr'

const NEWLINE = 0x0a
const SPACE = 0x20
/** Longer lines are split into parts, marked `P` except for the last, as in the CRI log format. */
const MAX_PART = 16 * 1024
const NO_BYTES = Buffer.alloc(0)

/** Encodes output as lines of a log file: `<time> <stream> <F|P> <text>` (the CRI log format). */
export class LineEncoder {
  readonly #stream: LogStream
  #rest: Buffer = NO_BYTES

  constructor(stream: LogStream) {
    this.#stream = stream
  }

  /** Returns the lines that this piece completes and buffers the rest. */
  encode(piece: Buffer, time: Date): Buffer {
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    const whole = Buffer.from(`${time.toISOString()} ${this.#stream} F `)
    const part = Buffer.from(`${time.toISOString()} ${this.#stream} P `)
    // Computes the size first and fills one buffer: a flood of short lines would otherwise create many small ones.
    const lines = Buffer.allocUnsafe(encodedSize(text, whole.length))
    let at = 0
    let written = 0
    const addParts = (to: number) => {
      for (; to - at > MAX_PART; at += MAX_PART) {
        written += part.copy(lines, written)
        written += text.copy(lines, written, at, at + MAX_PART)
        lines[written++] = NEWLINE
      }
    }
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, at)) {
      addParts(end)
      written += whole.copy(lines, written)
      written += text.copy(lines, written, at, end + 1)
      at = end + 1
    }
    addParts(text.length)
    // Copied, since a slice would keep a large buffer alive.
    this.#rest = Buffer.from(text.subarray(at))
    return lines.subarray(0, written)
  }

  /** Returns the buffered rest as a line. */
  flush(time: Date): Buffer {
    const rest = this.#rest
    this.#rest = NO_BYTES
    return rest.length === 0
      ? rest
      : Buffer.from(`${time.toISOString()} ${this.#stream} P ${rest.toString('latin1')}\n`, 'latin1')
  }
}

/** Returns an upper bound of the encoded size of a text with a header of this size for each line. */
function encodedSize(text: Buffer, head: number): number {
  let lines = 0
  for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, end + 1)) lines++
  const parts = Math.floor(text.length / MAX_PART)
  return text.length + lines * head + parts * (head + 1)
}

/** Formats lines of a log file as a request asks. */
export class LineFormatter {
  readonly #request: LogRequest
  readonly #since: string
  #rest: Buffer = NO_BYTES
  #left: number

  constructor(request: LogRequest) {
    this.#request = request
    this.#since = request.since?.toISOString() ?? ''
    this.#left = request.limitBytes ?? Number.POSITIVE_INFINITY
  }

  /** Whether the limits of the request are reached. */
  get isDone(): boolean {
    return this.#left <= 0
  }

  format(piece: Buffer): Buffer {
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    const parts: Buffer[] = []
    let at = 0
    for (let end = text.indexOf(NEWLINE); end >= 0 && !this.isDone; end = text.indexOf(NEWLINE, at)) {
      this.#addLine(parts, text.subarray(at, end + 1))
      at = end + 1
    }
    this.#rest = Buffer.from(text.subarray(at))
    return Buffer.concat(parts)
  }

  #addLine(parts: Buffer[], line: Buffer): void {
    const afterTime = line.indexOf(SPACE) + 1
    const afterStream = line.indexOf(SPACE, afterTime) + 1
    const time = line.toString('latin1', 0, afterTime - 1)
    if (time < this.#since) return
    const { stream, timestamps } = this.#request
    if (stream !== undefined && stream !== line.toString('latin1', afterTime, afterStream - 1)) return
    const isPart = line[afterStream] === 0x50
    const text = line.subarray(afterStream + 2, isPart ? -1 : undefined)
    if (timestamps) this.#add(parts, Buffer.from(`${time} `))
    this.#add(parts, text)
  }

  #add(parts: Buffer[], bytes: Buffer): void {
    const taken = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.#left -= taken.length
    if (taken.length > 0) parts.push(taken)
  }
}
