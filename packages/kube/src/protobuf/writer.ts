import { BYTES, VARINT } from './reader.js'

/**
 * Writes the protobuf wire format backwards, so that the length of a nested message is known when its header is
 * written. Fields are therefore written in reverse order.
 */
export class Writer {
  #bytes: Buffer
  #at: number

  constructor(capacity = 1024) {
    this.#bytes = Buffer.allocUnsafe(capacity)
    this.#at = capacity
  }

  /** The number of written bytes. */
  get length(): number {
    return this.#bytes.length - this.#at
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#at)
  }

  /** Returns a copy of the written bytes and resets the writer. */
  take(): Buffer {
    const taken = Buffer.from(this.finish())
    this.#at = this.#bytes.length
    return taken
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType)
  }

  /** Writes the header of a message or string whose content was written since `length` was `before`. */
  block(number: number, before: number): void {
    this.varint(this.length - before)
    this.tag(number, BYTES)
  }

  integer(number: number, value: number): void {
    this.varint(value)
    this.tag(number, VARINT)
  }

  string(number: number, value: string): void {
    const length = Buffer.byteLength(value)
    this.#reserve(length)
    this.#at -= length
    this.#bytes.write(value, this.#at, length, 'utf8')
    this.varint(length)
    this.tag(number, BYTES)
  }

  bytes(number: number, value: Uint8Array): void {
    this.raw(value)
    this.varint(value.length)
    this.tag(number, BYTES)
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#at -= value.length
    this.#bytes.set(value, this.#at)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#at -= 8
    this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** Writes a varint; negative numbers take ten bytes, as 64-bit two's complement. */
  varint(value: number): void {
    if (value < 0 || value > Number.MAX_SAFE_INTEGER) {
      this.#longVarint(BigInt.asUintN(64, BigInt(value)))
      return
    }
    let size = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
    this.#reserve(size)
    this.#at -= size
    let at = this.#at
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80
    this.#bytes[at] = rest
  }

  #longVarint(value: bigint): void {
    const encoded: number[] = []
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) encoded.push(Number(rest & 0x7fn) | 0x80)
    encoded.push(Number(rest))
    this.raw(Uint8Array.from(encoded))
  }

  #reserve(length: number): void {
    if (length <= this.#at) return
    const written = this.length
    const capacity = Math.max(this.#bytes.length * 2, written + length)
    const larger = Buffer.allocUnsafe(capacity)
    this.#bytes.copy(larger, capacity - written, this.#at)
    this.#bytes = larger
    this.#at = capacity - written
  }
}
