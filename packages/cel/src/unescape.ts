import { joinBytes, utf8Bytes } from '@orrery/kinds/values'

const simple: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['`', 96],
  ['?', 63],
])

const escapeSequence = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))|\r\n?/g

/** The text of a string token; undefined if an escape is invalid. */
export function unescapeString(token: string): string | undefined {
  const { content, raw } = body(token)
  if (raw) return content.replace(/\r\n?/g, '\n')
  let valid = true
  const text = content.replace(escapeSequence, (all, hex, short, long, octal, letter) => {
    if (!all.startsWith('\\')) return '\n'
    const code = escapedCode(hex, short, long, octal, letter)
    if (code === undefined || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      valid = false
      return ''
    }
    return String.fromCodePoint(code)
  })
  return valid ? text : undefined
}

/** The bytes of a bytes token: UTF-8, where `\x` and octal escapes are single bytes. */
export function unescapeBytes(token: string): Uint8Array | undefined {
  const { content, raw } = body(token.slice(1))
  if (raw) return utf8Bytes(content)
  const parts: Uint8Array[] = []
  let last = 0
  for (const found of content.matchAll(escapeSequence)) {
    parts.push(utf8Bytes(content.slice(last, found.index)))
    last = found.index + found[0].length
    const [all, hex, short, long, octal, letter] = found
    if (!all.startsWith('\\')) {
      parts.push(utf8Bytes('\n'))
      continue
    }
    // Bytes have no code points, so no `\u`.
    if (short !== undefined || long !== undefined) return undefined
    const code = escapedCode(hex, undefined, undefined, octal, letter)
    if (code === undefined) return undefined
    parts.push(Uint8Array.of(code))
  }
  parts.push(utf8Bytes(content.slice(last)))
  return joinBytes(parts)
}

function body(token: string): { content: string; raw: boolean } {
  const raw = /^[rR]/.test(token)
  const quoted = raw ? token.slice(1) : token
  const width = /^(?:"""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1
  return { content: quoted.slice(width, -width), raw }
}

function escapedCode(
  hex: string | undefined,
  short: string | undefined,
  long: string | undefined,
  octal: string | undefined,
  letter: string | undefined,
): number | undefined {
  const digits = hex ?? short ?? long
  if (digits !== undefined) return Number.parseInt(digits, 16)
  if (octal !== undefined) return Number.parseInt(octal, 8)
  return simple.get(letter ?? '')
}
