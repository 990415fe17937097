/** Larger bytes are not copied. */
const LARGE = 2_048
/** Of this size, buffers are slices of Node's pool. */
const ROOM = 4_000

/** Bytes in parts that a stream sends one after the other. Small ones are copied together. */
export class Parts {
  readonly #ended: Uint8Array[] = []
  #room = Buffer.allocUnsafe(ROOM)
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  addInt16(value: number): void {
    this.#need(2)
    this.#used = this.#room.writeInt16BE(value, this.#used)
    this.#length += 2
  }

  addInt32(value: number): void {
    this.#need(4)
    this.#used = this.#room.writeInt32BE(value, this.#used)
    this.#length += 4
  }

  add(bytes: Uint8Array): void {
    this.#length += bytes.length
    if (bytes.length > LARGE) {
      this.#endPart()
      this.#ended.push(bytes)
      return
    }
    this.#need(bytes.length)
    this.#room.set(bytes, this.#used)
    this.#used += bytes.length
  }

  end(): readonly Uint8Array[] {
    this.#endPart()
    return this.#ended
  }

  #need(bytes: number): void {
    if (this.#used + bytes <= this.#room.length) return
    this.#endPart()
    this.#room = Buffer.allocUnsafe(ROOM)
  }

  #endPart(): void {
    if (this.#used > 0) this.#ended.push(this.#room.subarray(0, this.#used))
    this.#room = this.#room.subarray(this.#used)
    this.#used = 0
  }
}
