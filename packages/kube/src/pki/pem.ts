export interface PemBlock {
  readonly label: string
  readonly bytes: Buffer
}

const BEGIN = '-----BEGIN '
const END = '-----END '
const DASHES = '-----'
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Every PEM block of a text, in order (RFC 7468). Text around the blocks is ignored; a broken block ends the search.
 */
export function decodePem(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let at = 0
  for (;;) {
    const begin = text.indexOf(BEGIN, at)
    if (begin < 0) return blocks
    const labelEnd = text.indexOf(DASHES, begin + BEGIN.length)
    if (labelEnd < 0) return blocks
    const label = text.slice(begin + BEGIN.length, labelEnd)
    const bodyStart = labelEnd + DASHES.length
    const trailer = `${END}${label}${DASHES}`
    const end = text.indexOf(trailer, bodyStart)
    if (end < 0 || label.includes('\n')) return blocks
    const body = text.slice(bodyStart, end).replace(/\s+/g, '')
    if (body.length % 4 !== 0 || !BASE64.test(body)) return blocks
    blocks.push({ label, bytes: Buffer.from(body, 'base64') })
    at = end + trailer.length
  }
}

export function encodePem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `${BEGIN}${label}${DASHES}\n${lines.join('\n')}\n${END}${label}${DASHES}\n`
}
