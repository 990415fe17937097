import {
  type CharSet,
  charSet,
  complement,
  DIGIT,
  foldCase,
  MAX_CODE_POINT,
  POSIX_CLASSES,
  rangesOf,
  SPACE,
  unicodeClass,
  WORD,
} from './charset.js'
import { PatternError } from './syntax.js'

/** A place in the text of a pattern. */
export interface Cursor {
  readonly text: string
  at: number
}

const SIMPLE_ESCAPES: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

/** Reads one code point. */
export function readChar(cursor: Cursor): number {
  const code = cursor.text.codePointAt(cursor.at) as number
  cursor.at += code > 0xffff ? 2 : 1
  return code
}

/** Reads `\d`, `\W`, `\pL`, `\P{Greek}`, … at a backslash; undefined when it is not a class. */
export function readEscapedClass(cursor: Cursor): CharSet | undefined {
  const letter = cursor.text[cursor.at + 1] ?? ''
  if (letter === 'p' || letter === 'P') return readUnicodeClass(cursor, letter === 'P')
  const classes: Readonly<Record<string, CharSet>> = { d: DIGIT, s: SPACE, w: WORD }
  const set = classes[letter.toLowerCase()]
  if (!set || !/^[dswDSW]$/.test(letter)) return undefined
  cursor.at += 2
  return letter === letter.toLowerCase() ? set : complement(set)
}

function readUnicodeClass(cursor: Cursor, negated: boolean): CharSet {
  const start = cursor.at
  const rest = cursor.text.slice(start + 2)
  const braced = /^\{(\^?)([^}]*)\}/.exec(rest)
  const name = braced ? (braced[2] as string) : rest.slice(0, 1)
  cursor.at += 2 + (braced ? braced[0].length : name.length)
  const set = rest.startsWith('{') && !braced ? undefined : unicodeClass(name)
  if (!set) throw new PatternError('invalid character class range', cursor.text.slice(start, cursor.at))
  return negated !== (braced?.[1] === '^') ? complement(set) : set
}

/** Reads the escape of one character, at a backslash. */
export function readEscapedChar(cursor: Cursor): number {
  const start = cursor.at
  cursor.at++
  if (cursor.at >= cursor.text.length) throw new PatternError('trailing backslash at end of expression', '')
  const letter = cursor.text[cursor.at] as string
  const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(cursor.text.slice(cursor.at, cursor.at + 3))
  if (octal) {
    cursor.at += octal[0].length
    return Number.parseInt(octal[0], 8)
  }
  if (letter === 'x') return readHexChar(cursor, start)
  const simple = Object.hasOwn(SIMPLE_ESCAPES, letter) ? SIMPLE_ESCAPES[letter] : undefined
  if (simple !== undefined) {
    cursor.at++
    return simple
  }
  const code = readChar(cursor)
  if (code < 0x80 && !/[0-9A-Za-z]/.test(letter)) return code
  throw new PatternError('invalid escape sequence', cursor.text.slice(start, cursor.at))
}

function readHexChar(cursor: Cursor, start: number): number {
  const hex = /^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,8})\})/.exec(cursor.text.slice(cursor.at, cursor.at + 11))
  const code = hex ? Number.parseInt((hex[1] ?? hex[2]) as string, 16) : Number.POSITIVE_INFINITY
  if (code > MAX_CODE_POINT) throw new PatternError('invalid escape sequence', cursor.text.slice(start, cursor.at + 1))
  cursor.at += (hex as RegExpExecArray)[0].length
  return code
}

/** Reads `[…]`, at the bracket. */
export function readClass(cursor: Cursor, ignoreCase: boolean): CharSet {
  const start = cursor.at
  cursor.at++
  const negated = cursor.text[cursor.at] === '^'
  if (negated) cursor.at++
  const ranges: (readonly [number, number])[] = []
  for (let first = true; first || cursor.text[cursor.at] !== ']'; first = false) {
    if (cursor.at >= cursor.text.length) throw new PatternError('missing closing ]', cursor.text.slice(start))
    const set = readNamedClass(cursor) ?? (cursor.text[cursor.at] === '\\' ? readEscapedClass(cursor) : undefined)
    if (set) ranges.push(...rangesOf(set))
    else ranges.push(readRange(cursor, start))
  }
  cursor.at++
  const set = ignoreCase ? foldCase(charSet(ranges)) : charSet(ranges)
  return negated ? complement(set) : set
}

/** Reads `[:alpha:]` or `[:^alpha:]`. */
function readNamedClass(cursor: Cursor): CharSet | undefined {
  const named = /^\[:(\^?)([a-z]+):\]/.exec(cursor.text.slice(cursor.at, cursor.at + 16))
  if (!named) return undefined
  const set = POSIX_CLASSES.get(named[2] as string)
  if (!set) throw new PatternError('invalid character class range', named[0])
  cursor.at += named[0].length
  return named[1] === '^' ? complement(set) : set
}

function readRange(cursor: Cursor, classStart: number): readonly [number, number] {
  const start = cursor.at
  const lo = readClassChar(cursor, classStart)
  const next = cursor.text[cursor.at + 1]
  if (cursor.text[cursor.at] !== '-' || next === undefined || next === ']') return [lo, lo]
  cursor.at++
  const hi = readClassChar(cursor, classStart)
  if (hi < lo) throw new PatternError('invalid character class range', cursor.text.slice(start, cursor.at))
  return [lo, hi]
}

function readClassChar(cursor: Cursor, classStart: number): number {
  if (cursor.at >= cursor.text.length) throw new PatternError('missing closing ]', cursor.text.slice(classStart))
  return cursor.text[cursor.at] === '\\' ? readEscapedChar(cursor) : readChar(cursor)
}
