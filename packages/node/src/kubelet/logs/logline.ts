import type { LogRequest } from './logsource.js'

export type LogStream = 'stdout' | 'stderr'

const NEWLINE = 0x0a
const SPACE = 0x20
/** Longer lines are kept in parts, marked `P` but for the last, as container runtimes do. */
const LONGEST_PART = 16 * 1024
const NO_BYTES = Buffer.alloc(0)

/** Turns what a process writes into lines of a log file: `<time> <stream> <F|P> <text>`. */
export class LineEncoder {
  readonly #stream: LogStream
  #rest: Buffer = NO_BYTES

  constructor(stream: LogStream) {
    this.#stream = stream
  }

  /** The whole lines that are complete with this piece; what is left waits for the next. */
  encode(piece: Buffer, time: Date): Buffer {
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    const parts: Buffer[] = []
    const whole = Buffer.from(`${time.toISOString()} ${this.#stream} F `)
    let at = 0
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, at)) {
      at = this.#addParts(parts, text, at, end, time)
      parts.push(whole, text.subarray(at, end + 1))
      at = end + 1
    }
    at = this.#addParts(parts, text, at, text.length, time)
    // A copy: the piece would keep a large buffer alive.
    this.#rest = Buffer.from(text.subarray(at))
    return Buffer.concat(parts)
  }

  /** What is left at the end, as a line of its own. */
  flush(time: Date): Buffer {
    const rest = this.#rest
    this.#rest = NO_BYTES
    return rest.length === 0
      ? rest
      : Buffer.from(`${time.toISOString()} ${this.#stream} P ${rest.toString('latin1')}\n`, 'latin1')
  }

  #addParts(parts: Buffer[], text: Buffer, from: number, to: number, time: Date): number {
    let at = from
    for (; to - at > LONGEST_PART; at += LONGEST_PART) {
      const head = `${time.toISOString()} ${this.#stream} P `
      parts.push(Buffer.from(head), text.subarray(at, at + LONGEST_PART), Buffer.from('\n'))
    }
    return at
  }
}

/** Turns lines of a log file into what a request asked for. */
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

  /** Nothing more is wanted. */
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
