import { codePointCount } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { ArrayList, type CelList } from '../values/list.js'
import { CelEvalError, type CelInt, type CelValue } from '../values/value.js'
import { cachedRegex } from './regex.js'
import { checkTextSize, isBasic } from './text.js'

/** The string functions of the language itself. */
export const basicStrings: CelLibrary = {
  name: 'basicStrings',
  overloads: [
    overload('contains_string', 'string.contains(string) -> bool', (text: string, part: string) => text.includes(part)),
    overload('ends_with_string', 'string.endsWith(string) -> bool', (text: string, end: string) => text.endsWith(end)),
    overload('starts_with_string', 'string.startsWith(string) -> bool', (text: string, start: string) =>
      text.startsWith(start),
    ),
    overload('matches', 'matches(string, string) -> bool', matches),
    overload('matches_string', 'string.matches(string) -> bool', matches),
  ],
}

/** cel-go's string extension, version 2. Offsets are in code points. */
export const strings: CelLibrary = {
  name: 'strings',
  overloads: [
    overload('string_char_at_int', 'string.charAt(int) -> string', charAt),
    overload('string_index_of_string', 'string.indexOf(string) -> int', (text: string, part: string) =>
      indexOf(text, part, 0),
    ),
    overload('string_index_of_string_int', 'string.indexOf(string, int) -> int', indexOf),
    overload('string_last_index_of_string', 'string.lastIndexOf(string) -> int', (text: string, part: string) => {
      const length = codePointCount(text)
      if (part === '') return length
      return length < codePointCount(part) ? -1 : lastIndexOf(text, part, length - 1)
    }),
    overload('string_last_index_of_string_int', 'string.lastIndexOf(string, int) -> int', lastIndexOf),
    overload('string_lower_ascii', 'string.lowerAscii() -> string', (text: string) =>
      text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    ),
    overload('string_upper_ascii', 'string.upperAscii() -> string', (text: string) =>
      text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
    ),
    overload(
      'string_replace_string_string',
      'string.replace(string, string) -> string',
      (text: string, a: string, b: string) => replace(text, a, b, -1),
    ),
    overload('string_replace_string_string_int', 'string.replace(string, string, int) -> string', replace),
    overload('string_split_string', 'string.split(string) -> list(string)', (text: string, separator: string) =>
      split(text, separator, -1),
    ),
    overload('string_split_string_int', 'string.split(string, int) -> list(string)', split),
    overload('string_substring_int', 'string.substring(int) -> string', (text: string, start: CelInt) =>
      substring(text, start, codePointCount(text), false),
    ),
    overload(
      'string_substring_int_int',
      'string.substring(int, int) -> string',
      (text: string, start: CelInt, end: CelInt) => substring(text, start, end, true),
    ),
    overload('string_trim', 'string.trim() -> string', trim),
    overload('strings_quote', 'strings.quote(string) -> string', quote),
    overload('list_join', 'list(string).join() -> string', (list: CelList) => join(list, '')),
    overload('list_join_string', 'list(string).join(string) -> string', join),
  ],
}

/** In newer cel-go, but not in Kubernetes. */
export const stringReverse: CelLibrary = {
  name: 'stringReverse',
  overloads: [overload('string_reverse', 'string.reverse() -> string', (text: string) => [...text].reverse().join(''))],
}

/** White space as in Go's `unicode.IsSpace`. */
const space = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** Without a pattern, because one for the end of a text would visit every run of spaces. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && space.test(text[start] as string)) start++
  while (end > start && space.test(text[end - 1] as string)) end--
  return text.slice(start, end)
}

function matches(text: string, pattern: string): boolean {
  return cachedRegex(pattern).test(text)
}

function charAt(text: string, index: CelInt): string {
  const characters = isBasic(text) ? text : [...text]
  if (index < 0 || index > characters.length) throw outOfRange(index)
  return characters[Number(index)] ?? ''
}

function indexOf(text: string, part: string, offset: CelInt): CelInt {
  if (part === '') return offset
  if (offset < 0) throw outOfRange(offset)
  if (offset >= text.length) return -1
  if (isBasic(text)) return text.indexOf(part, Number(offset))
  const start = codePointOffset(text, Number(offset))
  const found = text.indexOf(part, start)
  return found < 0 ? -1 : codePointCount(text.slice(0, found))
}

function lastIndexOf(text: string, part: string, offset: CelInt): CelInt {
  if (part === '') return offset
  if (offset < 0) throw outOfRange(offset)
  if (offset >= codePointCount(text)) return -1
  const found = text.lastIndexOf(part, codePointOffset(text, Number(offset)))
  return found < 0 ? -1 : codePointCount(text.slice(0, found))
}

/** The UTF-16 offset of a code point. */
function codePointOffset(text: string, index: number): number {
  if (isBasic(text)) return index
  let offset = 0
  for (let i = 0; i < index && offset < text.length; i++) offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  return offset
}

function replace(text: string, part: string, replacement: string, limit: CelInt): string {
  if (limit === 0) return text
  const pieces = part === '' ? ['', ...text, ''] : text.split(part)
  const times = limit < 0 ? pieces.length - 1 : Math.min(Number(limit), pieces.length - 1)
  checkTextSize(text.length + times * replacement.length)
  const kept = pieces.slice(times).join(part)
  return [...pieces.slice(0, times), kept].join(replacement)
}

function split(text: string, separator: string, limit: CelInt): CelList {
  if (limit === 0) return new ArrayList([])
  const pieces = separator === '' ? [...text] : text.split(separator)
  if (limit < 0 || limit >= pieces.length) return new ArrayList(pieces)
  const whole = Number(limit) - 1
  return new ArrayList([...pieces.slice(0, whole), pieces.slice(whole).join(separator)])
}

function substring(text: string, start: CelInt, end: CelInt, ranged: boolean): string {
  if (ranged && start > end) {
    throw new CelEvalError(`invalid substring range. start: ${start}, end: ${end}`)
  }
  const length = codePointCount(text)
  if (start < 0 || start > length) throw outOfRange(start)
  if (end < 0 || end > length) throw outOfRange(end)
  return text.slice(codePointOffset(text, Number(start)), codePointOffset(text, Number(end)))
}

function join(list: CelList, separator: string): string {
  const parts: string[] = []
  let size = separator.length * list.length
  for (const item of list) {
    if (typeof item !== 'string') throw new CelEvalError(`join: invalid input: ${showItem(item)}`)
    size += item.length
    parts.push(item)
  }
  checkTextSize(size)
  return parts.join(separator)
}

function showItem(item: CelValue): string {
  return typeof item === 'object' && item !== null && 'value' in item ? String(item.value) : String(item)
}

const quotedForms: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
])

/** The text as a literal of the language. */
function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be escaped
  return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => quotedForms.get(character) ?? character)}"`
}

function outOfRange(index: CelInt): CelEvalError {
  return new CelEvalError(`index out of range: ${index}`)
}
