const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b

/**
 * Counts the values of a JSON text while it arrives in pieces: objects, arrays, and what commas separate. The memory and
 * time of `JSON.parse` grow with their number more than with the length of the text.
 */
export class ValueCounter {
  #count = 0
  #isInString = false
  #isEscaped = false

  /** Counts the values of the next piece, and returns the number of values so far. */
  add(piece: Uint8Array): number {
    let [count, isInString, isEscaped] = [this.#count, this.#isInString, this.#isEscaped]
    for (const byte of piece) {
      if (isEscaped) isEscaped = false
      else if (byte === QUOTE) isInString = !isInString
      else if (isInString) isEscaped = byte === BACKSLASH
      else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) count++
    }
    this.#count = count
    this.#isInString = isInString
    this.#isEscaped = isEscaped
    return count
  }
}
