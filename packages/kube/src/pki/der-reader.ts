/** The bytes are not DER, or not the expected structure. */
export class DerError extends Error {
  constructor(message: string) {
    super(`malformed DER: ${message}`)
    this.name = 'DerError'
  }
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

/** The tag of a context-specific field: `[n]`. */
export function contextTag(number: number, form: 'primitive' | 'constructed'): number {
  return 0x80 | (form === 'constructed' ? 0x20 : 0) | number
}

export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** Tag, length and content: the bytes to sign or compare. */
  readonly whole: Buffer
}

/**
 * Reads the elements of one constructed value in order. Strict: only definite lengths in their shortest form, so
 * every value has exactly one encoding, and an element never exceeds its parent.
 */
export class DerReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The tag of the next element; undefined at the end. */
  get tag(): number | undefined {
    return this.#bytes[this.#at]
  }

  next(what: string): DerElement {
    const start = this.#at
    const tag = this.#byte(what)
    if ((tag & 0x1f) === 0x1f) throw new DerError(`${what} has a multi-byte tag`)
    const length = this.#length(what)
    const from = this.#at
    const to = from + length
    if (to > this.#bytes.length) throw new DerError(`${what} is truncated`)
    this.#at = to
    return { tag, content: this.#bytes.subarray(from, to), whole: this.#bytes.subarray(start, to) }
  }

  expect(tag: number, what: string): DerElement {
    const element = this.next(what)
    if (element.tag !== tag) {
      throw new DerError(`${what} has tag 0x${element.tag.toString(16)}, expected 0x${tag.toString(16)}`)
    }
    return element
  }

  optional(tag: number, what: string): DerElement | undefined {
    return this.tag === tag ? this.next(what) : undefined
  }

  sequence(what: string): DerReader {
    return new DerReader(this.expect(TAG.sequence, what).content)
  }

  /** Fails if anything follows. */
  end(what: string): void {
    if (!this.done) throw new DerError(`${what} is followed by unexpected bytes`)
  }

  #byte(what: string): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new DerError(`${what} is missing`)
    this.#at++
    return byte
  }

  #length(what: string): number {
    const first = this.#byte(what)
    if (first < 0x80) return first
    const count = first & 0x7f
    if (count === 0 || count > 4) throw new DerError(`${what} has an unsupported length`)
    let length = 0
    for (let i = 0; i < count; i++) length = length * 256 + this.#byte(what)
    const shortest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8)
    if (shortest !== count) throw new DerError(`${what} has a length that is not in its shortest form`)
    return length
  }
}

/** One whole value with nothing after it. */
export function readSingle(bytes: Buffer, tag: number, what: string): DerElement {
  const reader = new DerReader(bytes)
  const element = reader.expect(tag, what)
  reader.end(what)
  return element
}

export function readBoolean(element: DerElement, what: string): boolean {
  const byte = element.content[0]
  if (element.content.length !== 1 || (byte !== 0 && byte !== 0xff)) throw new DerError(`${what} is not a boolean`)
  return byte === 0xff
}

/** The big-endian two's-complement bytes of an integer, checked to be minimal. */
export function readInteger(element: DerElement, what: string): Buffer {
  const [first, second] = element.content
  if (first === undefined) throw new DerError(`${what} is an empty integer`)
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
    throw new DerError(`${what} is an integer with redundant leading bytes`)
  }
  return element.content
}

/** A non-negative integer small enough for a number. */
export function readSmallInteger(element: DerElement, what: string): number {
  const bytes = readInteger(element, what)
  if (bytes.length > 4 || bytes[0]! >= 0x80) throw new DerError(`${what} is out of range`)
  return bytes.readUIntBE(0, bytes.length)
}

export interface BitString {
  readonly bytes: Buffer
  readonly unusedBits: number
}

export function readBitString(element: DerElement, what: string): BitString {
  const unusedBits = element.content[0]
  const bytes = element.content.subarray(1)
  if (unusedBits === undefined || unusedBits > 7 || (unusedBits > 0 && bytes.length === 0)) {
    throw new DerError(`${what} is not a bit string`)
  }
  if (unusedBits > 0 && (bytes[bytes.length - 1]! & ((1 << unusedBits) - 1)) !== 0) {
    throw new DerError(`${what} is a bit string whose padding is not zero`)
  }
  return { bytes, unusedBits }
}

/** Dotted form: `2.5.4.3`. */
export function readOid(element: DerElement, what: string): string {
  const { content } = element
  const last = content[content.length - 1]
  if (last === undefined || last >= 0x80) throw new DerError(`${what} is not an object identifier`)
  const arcs: number[] = []
  let arc = 0
  let starts = true
  for (const byte of content) {
    if (starts && byte === 0x80) throw new DerError(`${what} is an object identifier with a padded arc`)
    arc = arc * 128 + (byte & 0x7f)
    if (arc > Number.MAX_SAFE_INTEGER / 128) throw new DerError(`${what} is an object identifier with a huge arc`)
    starts = byte < 0x80
    if (!starts) continue
    if (arcs.length === 0) {
      const root = Math.min(Math.floor(arc / 40), 2)
      arcs.push(root, arc - root * 40)
    } else arcs.push(arc)
    arc = 0
  }
  return arcs.join('.')
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/

/** RFC 5280 §4.1.2.5: UTCTime stands for 1950 to 2049, GeneralizedTime for the rest, both to the second and in UTC. */
export function readTime(element: DerElement, what: string): Date {
  const isUtc = element.tag === TAG.utcTime
  if (!isUtc && element.tag !== TAG.generalizedTime) throw new DerError(`${what} is not a time`)
  const match = (isUtc ? UTC_TIME : GENERALIZED_TIME).exec(element.content.toString('latin1'))
  if (match === null) throw new DerError(`${what} is not a time`)
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const fullYear = !isUtc ? year : year < 50 ? 2000 + year : 1900 + year
  const time = new Date(Date.UTC(fullYear, month - 1, day, hour, minute, second))
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) {
    throw new DerError(`${what} is not a valid time`)
  }
  return time
}
