const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2

/**
 * Writes protobuf backwards: when the header of a nested message is written, its length is known. Fields must therefore
 * be written in reverse order.
 */
export class ReverseWriter {
  #buffer: Buffer
  #start: number

  constructor(capacity = 1 << 16) {
    this.#buffer = Buffer.allocUnsafe(capacity)
    this.#start = capacity
  }

  /** The number of written bytes. */
  get length(): number {
    return this.#buffer.length - this.#start
  }

  text(field: number, value: string): void {
    const size = Buffer.byteLength(value)
    this.#reserve(size)
    this.#start -= size
    this.#buffer.write(value, this.#start)
    this.endMessage(field, this.length - size)
  }

  boolean(field: number, value: boolean): void {
    this.#varint(value ? 1 : 0)
    this.#header(field, VARINT)
  }

  /** Not for negative numbers. */
  integer(field: number, value: number): void {
    this.#varint(value)
    this.#header(field, VARINT)
  }

  double(field: number, value: number): void {
    this.#reserve(8)
    this.#start -= 8
    this.#buffer.writeDoubleLE(value, this.#start)
    this.#header(field, FIXED64)
  }

  /** Writes the header of a message that started when `length` was `before`. */
  endMessage(field: number, before: number): void {
    this.#varint(this.length - before)
    this.#header(field, LENGTH_DELIMITED)
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#start))
  }

  #header(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType)
  }

  #varint(value: number): void {
    let size = 1
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
    this.#reserve(size)
    this.#start -= size
    let at = this.#start
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) | 128
    this.#buffer[at] = rest
  }

  #reserve(size: number): void {
    if (size <= this.#start) return
    const written = this.length
    const bigger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, written + size))
    this.#buffer.copy(bigger, bigger.length - written, this.#start)
    this.#buffer = bigger
    this.#start = bigger.length - written
  }
}
