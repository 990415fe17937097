import { type Cursor, isBlank } from './cursor.js'

const FLOW_INDICATORS = ',[]{}'

/**
 * Reads one line of a plain scalar: up to `: `, ` #`, the end of the line, or a separator in a flow collection.
 * Trailing white space is not included.
 */
export function readPlainLine(cursor: Cursor, inFlow: boolean): string {
  const { text } = cursor
  const start = cursor.at
  let end = start
  let at = start
  for (; at < text.length; at++) {
    const char = text[at] as string
    if (char === '\n') break
    if (char === ' ' || char === '\t') continue
    if (char === '#' && at > start && isBlank(text[at - 1] as string)) break
    if (char === ':') {
      const next = text[at + 1] ?? ''
      if (isBlank(next) || (inFlow && FLOW_INDICATORS.includes(next))) break
    }
    if (inFlow && FLOW_INDICATORS.includes(char)) break
    end = at + 1
  }
  cursor.at = end
  return text.slice(start, end)
}

/** Joins the lines of a scalar: a single line end becomes a space, several become one fewer. */
class Folded {
  readonly #parts: string[] = []
  #emptyLines = 0

  add(line: string): void {
    if (this.#parts.length > 0) this.#parts.push(this.#emptyLines === 0 ? ' ' : '\n'.repeat(this.#emptyLines))
    this.#parts.push(line)
    this.#emptyLines = 0
  }

  addEmptyLine(): void {
    this.#emptyLines++
  }

  text(): string {
    return this.#parts.length === 1 ? (this.#parts[0] as string) : this.#parts.join('')
  }
}

/** Reads a plain scalar over lines of at least `minColumn`. The cursor is at its first character. */
export function readPlain(cursor: Cursor, inFlow: boolean, minColumn: number): string {
  const first = readPlainLine(cursor, inFlow)
  let folded: Folded | undefined
  for (;;) {
    const back = { at: cursor.at, lineStart: cursor.lineStart }
    const emptyLines = skipEmptyLines(cursor)
    const goesOn =
      emptyLines >= 0 &&
      !cursor.isEnd &&
      (inFlow || cursor.column >= minColumn) &&
      cursor.char !== '#' &&
      cursor.char !== '' &&
      !(inFlow && FLOW_INDICATORS.includes(cursor.char)) &&
      !(cursor.char === ':' && cursor.isIndicator())
    if (!goesOn) {
      cursor.at = back.at
      cursor.lineStart = back.lineStart
      return folded === undefined ? first : folded.text()
    }
    if (folded === undefined) {
      folded = new Folded()
      folded.add(first)
    }
    for (let count = emptyLines; count > 0; count--) folded.addEmptyLine()
    folded.add(readPlainLine(cursor, inFlow))
    if (!inFlow && cursor.char === ':') throw cursor.error('mapping values are not allowed in this context')
  }
}

/** Skips to the next non-empty line. Returns the number of empty lines before it; -1 on the same line. */
function skipEmptyLines(cursor: Cursor): number {
  let lines = -1
  for (;;) {
    cursor.skipSpaces()
    if (cursor.char !== '\n') return lines
    cursor.nextLine()
    lines++
    if (cursor.isBoundary()) return lines
  }
}

/** Reads `'…'`, in which two quotes are one. */
export function readSingleQuoted(cursor: Cursor): string {
  const { text } = cursor
  const start = ++cursor.at
  for (;;) {
    const end = text.indexOf("'", cursor.at)
    if (end < 0) throw cursor.error('found unexpected end of stream')
    cursor.at = end + 1
    if (cursor.char !== "'") {
      trackLines(cursor, start)
      return foldQuoted(text.slice(start, end).replaceAll("''", "'"))
    }
    cursor.at++
  }
}

/**
 * Updates the line start after a scalar that contains line ends. Looks only at the scalar, since its line may be long.
 */
function trackLines(cursor: Cursor, from: number): void {
  const last = cursor.text.slice(from, cursor.at).lastIndexOf('\n')
  if (last >= 0) cursor.lineStart = from + last + 1
}

function foldQuoted(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n')
  const folded = new Folded()
  lines.forEach((line, index) => {
    const left = index === 0 ? line : line.replace(/^[ \t]+/, '')
    const trimmed = index === lines.length - 1 ? left : trimEnd(left)
    if (trimmed === '' && index > 0 && index < lines.length - 1) folded.addEmptyLine()
    else folded.add(trimmed)
  })
  return folded.text()
}

function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--
  return text.slice(0, end)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
}
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads `"…"`, with escapes. */
export function readDoubleQuoted(cursor: Cursor): string {
  const { text } = cursor
  const opening = ++cursor.at
  let result = ''
  let start = cursor.at
  for (;;) {
    const char = text[cursor.at]
    if (char === undefined) throw cursor.error('found unexpected end of stream')
    if (char === '"') {
      result += text.slice(start, cursor.at)
      cursor.at++
      trackLines(cursor, opening)
      return result
    }
    if (char === '\\') {
      result += text.slice(start, cursor.at)
      result += readEscape(cursor)
      start = cursor.at
    } else if (char === '\n') {
      result += trimEnd(text.slice(start, cursor.at))
      result += foldBreaks(cursor)
      start = cursor.at
    } else cursor.at++
  }
}

/** Reads line ends inside a double-quoted scalar, and the indentation after them. */
function foldBreaks(cursor: Cursor): string {
  let breaks = 0
  while (cursor.char === '\n') {
    cursor.at++
    breaks++
    cursor.skipSpaces()
  }
  return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1)
}

function readEscape(cursor: Cursor): string {
  const kind = cursor.text[cursor.at + 1] ?? ''
  cursor.at += 2
  if (kind === '\n') {
    cursor.skipSpaces()
    return ''
  }
  if (Object.hasOwn(ESCAPES, kind)) return ESCAPES[kind] as string
  const length = Object.hasOwn(HEX_LENGTH, kind) ? (HEX_LENGTH[kind] as number) : 0
  if (length === 0) throw cursor.error('found unknown escape character')
  const digits = cursor.text.slice(cursor.at, cursor.at + length)
  if (digits.length < length || !/^[\da-fA-F]+$/.test(digits)) {
    throw cursor.error('did not find expected hexdecimal number')
  }
  const code = Number.parseInt(digits, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    throw cursor.error('found invalid Unicode character escape code')
  }
  cursor.at += length
  return String.fromCodePoint(code)
}
