const SMALLEST = 4096

/** The beginning of a line whose end has not come yet. However small the pieces it comes in, each byte is moved twice. */
export class PartialLine {
  #bytes = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(SMALLEST, 2 * length))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#length)
    this.#length = length
  }

  /** The text up to here, and begins anew. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    return text
  }
}
