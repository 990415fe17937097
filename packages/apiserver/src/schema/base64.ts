const PADDING = 61
const NEWLINE = 10
const RETURN = 13

/**
 * Returns base64 in its canonical form. Accepts what Go's decoder accepts: padded, line breaks ignored. Returns the
 * offset of the first invalid byte if there is one.
 */
export function canonicalBase64(text: string): string | number {
  const length = text.length
  if (length % 4 === 0 && isPlain(text)) {
    // Only unused bits of the last byte can differ from what an encoder writes.
    return length === 0 || text.charCodeAt(length - 1) !== PADDING ? text : tidyLastQuantum(text)
  }
  const wrong = firstWrongByte(Buffer.from(text, 'utf8'))
  return wrong ?? Buffer.from(text, 'base64').toString('base64')
}

function isPlain(text: string): boolean {
  const length = text.length
  let end = length
  if (end > 0 && text.charCodeAt(end - 1) === PADDING) end--
  if (end > 0 && text.charCodeAt(end - 1) === PADDING) end--
  for (let index = 0; index < end; index++) if (!isDigit(text.charCodeAt(index))) return false
  return true
}

function tidyLastQuantum(text: string): string {
  const last = text.slice(-4)
  const tidy = Buffer.from(last, 'base64').toString('base64')
  return tidy === last ? text : text.slice(0, -4) + tidy
}

/** Returns a byte offset like Go's decoder, or undefined if the bytes are valid. */
function firstWrongByte(bytes: Buffer): number | undefined {
  let at = 0
  let inQuantum = 0
  const skipLineBreaks = () => {
    while (at < bytes.length && isLineBreak(bytes[at] as number)) at++
  }
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (isDigit(byte)) inQuantum = (inQuantum + 1) % 4
    else if (byte === PADDING) {
      if (inQuantum < 2) return at
      at++
      if (inQuantum === 2) {
        skipLineBreaks()
        if (at === bytes.length) return at
        if (bytes[at] !== PADDING) return at - 1
        at++
      }
      skipLineBreaks()
      return at < bytes.length ? at : undefined
    } else if (!isLineBreak(byte)) return at
  }
  return inQuantum === 0 ? undefined : at - inQuantum
}

function isLineBreak(code: number): boolean {
  return code === NEWLINE || code === RETURN
}

function isDigit(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 43 /* + */ ||
    code === 47 /* / */
  )
}
