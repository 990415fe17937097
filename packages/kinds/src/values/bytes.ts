const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The bytes of a text in UTF-8. */
export function utf8Bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** The text of bytes in UTF-8. Invalid bytes become U+FFFD. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    // A surrogate pair is two units and four bytes; a single surrogate becomes U+FFFD, three bytes.
    if ((code & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++
  }
  return bytes
}

/** Two lowercase digits for each byte. */
export function hexText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += (byte < 16 ? '0' : '') + byte.toString(16)
  return text
}

/** The bytes of an even number of hexadecimal digits. */
export function hexBytes(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const DIGITS = new Int8Array(128).fill(-1)
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i
DIGITS['-'.charCodeAt(0)] = 62
DIGITS['_'.charCodeAt(0)] = 63

/** Bytes as base64, padded. */
export function base64Text(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const bits = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    const digits = [bits >> 18, (bits >> 12) & 63, (bits >> 6) & 63, bits & 63].map((digit) => ALPHABET[digit])
    if (left < 3) digits[3] = '='
    if (left < 2) digits[2] = '='
    parts.push(digits.join(''))
  }
  return parts.join('')
}

/** The bytes of base64 of either alphabet, up to its padding. Other characters are skipped. */
export function base64Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4))
  let length = 0
  let bits = 0
  let pending = 0
  for (let i = 0; i < text.length && text[i] !== '='; i++) {
    const digit = DIGITS[text.charCodeAt(i)] ?? -1
    if (digit < 0) continue
    bits = ((bits << 6) | digit) & 0xffff
    pending += 6
    if (pending < 8) continue
    pending -= 8
    bytes[length++] = bits >> pending
  }
  return bytes.slice(0, length)
}

/** Concatenates bytes. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Negative, zero or positive, byte by byte. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
