import type { MemberRange } from './verbatim.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** From this length on, native code finds the end of a string faster. */
const LONG_TEXT = 32
/** A shorter member is serialised as fast as it is copied. */
const WORTH_KEEPING = 256

/** What the bytes of a JSON text show before it is parsed. */
export interface Scan {
  /** The number of keys, including duplicates. */
  readonly keys: number
  /** The number of objects, arrays and commas: about as many as there are values. */
  readonly values: number
  readonly depth: number
  /** Whether a key is, or could unescape to, `__proto__`. */
  readonly suspicious: boolean
  /** Whether a number has more digits than a double represents exactly. */
  readonly longNumber: boolean
  /** The longest member that is a map of strings in canonical form. */
  readonly plainest: MemberRange | undefined
}

/** Scans the bytes once without allocating. Assumes nothing about their validity. */
export function scanJson(bytes: Buffer): Scan {
  let keys = 0
  let values = 0
  let depth = 0
  let deepest = 0
  let digits = 0
  let suspicious = false
  let longNumber = false
  let plainest: MemberRange | undefined
  let longest = WORTH_KEEPING
  // The current member of the body: its name, and whether it is still canonical.
  let nameStart = 0
  let nameEnd = 0
  let plain = false
  // The next backslash, unless it was passed.
  let backslash = 0
  const end = bytes.length
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      const start = at + 1
      let escaped = false
      for (at++; at < end; at++) {
        const inside = bytes[at] as number
        if (inside === QUOTE) break
        if (inside === BACKSLASH) {
          escaped = true
          at++
        } else if (at === start + LONG_TEXT) {
          if (backslash < at) backslash = indexOrEnd(bytes, BACKSLASH, at)
          const quote = indexOrEnd(bytes, QUOTE, at)
          if (quote < backslash) at = quote - 1
        }
      }
      let next = at + 1
      while (next < end && isSpace(bytes[next] as number)) next++
      const isKey = bytes[next] === COLON
      // JavaScript serialises numeric keys before all others.
      const isPlain = !escaped && (!isKey || (next === at + 1 && !isDigit(bytes[start] as number)))
      if (depth === 1 && isKey) {
        nameStart = start
        nameEnd = at
        plain = isPlain && bytes[next + 1] === OPEN_BRACE
      } else if (!isPlain) plain = false
      if (isKey) {
        keys++
        if (escaped || (bytes[start] === 0x5f && at - start === 9)) suspicious = true
        at = next
      }
      digits = 0
    } else if (isDigit(byte)) {
      if (++digits > 15) longNumber = true
      plain = false
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++
      if (++depth > deepest) deepest = depth
      if (depth > 2) plain = false
      digits = 0
    } else {
      if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (plain && depth === 2 && at - nameStart > longest) {
          longest = at - nameStart
          plainest = { nameStart, nameEnd, end: at + 1 }
        }
        depth--
      } else if (byte === COMMA) values++
      else plain = false
      digits = 0
    }
  }
  return { keys, values, depth: deepest, suspicious, longNumber, plainest }
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index < 0 ? bytes.length : index
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** The white space of JSON. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
