const SMALLEST = 4096

/** A line whose end has not arrived yet. Each byte is copied at most twice, however small the chunks. */
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

  /** Returns the text so far and starts over. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    return text
  }
}
