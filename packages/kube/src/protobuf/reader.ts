/** The bytes are not a protobuf message, or not of the expected kind. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtobufError'
  }
}

export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
const START_GROUP = 3
const END_GROUP = 4
const FIXED32 = 5

/** Reads the protobuf wire format. Never reads beyond `end`, and never allocates more than its input. */
export class Reader {
  readonly #bytes: Buffer
  #at: number
  #end: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#at = 0
    this.#end = bytes.length
  }

  get isDone(): boolean {
    return this.#at >= this.#end
  }

  /** Returns a field's number and wire type, as `number << 3 | type`. */
  tag(): number {
    const tag = this.#unsigned()
    if (tag >= 2 ** 32 || tag < 8)
      throw new ProtobufError(`proto: illegal tag ${Math.floor(tag / 8)} (wire type ${tag % 8})`)
    return tag
  }

  /** Returns a signed 64-bit integer; values that a double cannot represent are rounded. */
  int64(): number {
    const value = this.#shortVarint()
    return value === undefined ? Number(BigInt.asIntN(64, this.#longVarint())) : value
  }

  int32(): number {
    const value = this.#shortVarint()
    return value === undefined ? Number(BigInt.asIntN(32, this.#longVarint())) : value | 0
  }

  boolean(): boolean {
    return this.int64() !== 0
  }

  double(): number {
    this.#need(8)
    const value = this.#bytes.readDoubleLE(this.#at)
    this.#at += 8
    return value
  }

  string(): string {
    const start = this.#block()
    return this.#bytes.toString('utf8', start, this.#at)
  }

  /** Returns a view of the bytes, not a copy. */
  bytes(): Buffer {
    const start = this.#block()
    return this.#bytes.subarray(start, this.#at)
  }

  /** Restricts reading to the length-delimited block that starts here. Returns the previous end for `leave`. */
  enter(): number {
    const outerEnd = this.#end
    const length = this.#length()
    this.#end = this.#at + length
    return outerEnd
  }

  leave(outerEnd: number): void {
    this.#at = this.#end
    this.#end = outerEnd
  }

  /** Skips the value of an unknown field. */
  skip(wireType: number): void {
    let openGroups = 0
    let type = wireType
    for (;;) {
      switch (type) {
        case VARINT:
          this.#unsigned()
          break
        case FIXED64:
          this.#need(8)
          this.#at += 8
          break
        case BYTES:
          this.#block()
          break
        case START_GROUP:
          openGroups++
          break
        case END_GROUP:
          if (openGroups === 0) throw new ProtobufError('proto: unexpected end of group')
          openGroups--
          break
        case FIXED32:
          this.#need(4)
          this.#at += 4
          break
        default:
          throw new ProtobufError(`proto: illegal wireType ${type}`)
      }
      if (openGroups === 0) return
      type = this.tag() & 7
    }
  }

  #block(): number {
    const length = this.#length()
    const start = this.#at
    this.#at += length
    return start
  }

  #length(): number {
    const length = this.#unsigned()
    this.#need(length)
    return length
  }

  #need(length: number): void {
    if (length > this.#end - this.#at) throw new ProtobufError('unexpected EOF')
  }

  #unsigned(): number {
    return this.#shortVarint() ?? Number(BigInt.asUintN(64, this.#longVarint()))
  }

  /** Reads up to four bytes, which covers nearly every varint; returns undefined without reading if it is longer. */
  #shortVarint(): number | undefined {
    const bytes = this.#bytes
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const at = this.#at + shift / 7
      if (at >= this.#end) throw new ProtobufError('unexpected EOF')
      const byte = bytes[at] as number
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        this.#at = at + 1
        return value
      }
    }
    return undefined
  }

  #longVarint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      this.#need(1)
      const byte = this.#bytes[this.#at++] as number
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new ProtobufError('proto: integer overflow')
  }
}
