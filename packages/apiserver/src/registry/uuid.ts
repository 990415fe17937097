import { randomFillSync } from 'node:crypto'

const BYTES = 16
/** The positions of each byte in the text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const
const DIGITS = Buffer.from('0123456789abcdef')

const random = Buffer.allocUnsafeSlow(256 * BYTES)
let next = random.length
const text = Buffer.alloc(36, '-')

/**
 * Returns a random UUID (RFC 9562, version 4). Every request needs one or two, and `node:crypto` builds them from
 * twenty strings, in twice the time and ten times the memory.
 */
export function newUuid(): string {
  if (next === random.length) {
    randomFillSync(random)
    next = 0
  }
  for (let index = 0; index < BYTES; index++) {
    const place = PLACES[index] as number
    let byte = random[next++] as number
    if (index === 6) byte = (byte & 0x0f) | 0x40
    else if (index === 8) byte = (byte & 0x3f) | 0x80
    text[place] = DIGITS[byte >> 4] as number
    text[place + 1] = DIGITS[byte & 0x0f] as number
  }
  return text.toString('latin1')
}
