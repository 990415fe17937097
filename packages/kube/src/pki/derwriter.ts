import { TAG } from './der-reader.js'

/** Tag, length and content of one element. */
export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  let length = 0
  for (const part of parts) length += part.length
  return Buffer.concat([Buffer.from([tag]), encodeLength(length), ...parts])
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(TAG.sequence, ...parts)
}

/** SET OF: DER sorts the members by their encoding (X.690 §11.6). */
export function setOf(members: readonly Buffer[]): Buffer {
  return element(TAG.set, ...[...members].sort(Buffer.compare))
}

export function boolean(value: boolean): Buffer {
  return element(TAG.boolean, Buffer.from([value ? 0xff : 0]))
}

/** A non-negative integer, from its big-endian bytes or a number. */
export function integer(value: Buffer | number): Buffer {
  const bytes = typeof value === 'number' ? numberBytes(value) : value
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const minimal = bytes.subarray(start)
  return element(TAG.integer, minimal[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), minimal]) : minimal)
}

export function oid(dotted: string): Buffer {
  const [root, branch, ...rest] = dotted.split('.').map(Number) as [number, number, ...number[]]
  const bytes: number[] = []
  for (const arc of [root * 40 + branch, ...rest]) {
    const groups = [arc % 128]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(0x80 | (left % 128))
    bytes.push(...groups)
  }
  return element(TAG.oid, Buffer.from(bytes))
}

export function nullValue(): Buffer {
  return element(TAG.null)
}

export function octetString(bytes: Buffer): Buffer {
  return element(TAG.octetString, bytes)
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.of(unusedBits), bytes)
}

const PRINTABLE = /^[A-Za-z0-9 '()+,./:=?-]*$/

/** PrintableString if its alphabet is enough, UTF8String otherwise. */
export function directoryString(text: string): Buffer {
  return PRINTABLE.test(text)
    ? element(TAG.printableString, Buffer.from(text, 'latin1'))
    : element(TAG.utf8String, Buffer.from(text, 'utf8'))
}

/** UTCTime up to 2049 and GeneralizedTime after (RFC 5280 §4.1.2.5). */
export function time(value: Date): Buffer {
  const digits = `${value.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  const year = value.getUTCFullYear()
  return year >= 1950 && year < 2050
    ? element(TAG.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : element(TAG.generalizedTime, Buffer.from(digits, 'latin1'))
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(value, 0, 6)
  return bytes
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  let start = 0
  while (bytes[start] === 0) start++
  return Buffer.concat([Buffer.of(0x80 | (4 - start)), bytes.subarray(start)])
}
