import { hexText, utf8Bytes } from './bytes.js'

/** Go's escape sequences of one character, without the backslash. */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

/** Formats a double as Go's `%g`: the fewest digits that identify it, with an exponent below 1e-4 and from 1e6. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (value === 0 || (power >= -4 && power < 6)) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

/** Quotes a text as Go's `time` package does: bytes for anything but plain ASCII. */
export function quoteAscii(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be escaped
  return `"${text.replace(/["\\]|[\x00-\x1f]|[^\x00-\x7f]+/g, escapeBytes)}"`
}

function escapeBytes(part: string): string {
  if (part === '"' || part === '\\') return `\\${part}`
  return hexText(utf8Bytes(part)).replace(/../g, '\\x$&')
}

/** Formats a JSON value as Go's `%v`: `map[a:1 b:[x y]]`, for messages that clients compare. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`
  if (typeof value === 'object') {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `map[${fields.map(([key, field]) => `${key}:${formatGoValue(field)}`).join(' ')}]`
  }
  return typeof value === 'number' && !isInt64(value) ? formatGoFloat(value) : String(value)
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63
}

/** Formats JSON as Go's `encoding/json`: keys sorted, `<`, `>`, `&` and line separators escaped. */
export function formatGoJson(value: unknown): string {
  return sortedJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${sortedJson(field)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

/** The Go type that a JSON value is decoded to: `string`, `int64`, `map[string]interface {}`. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return isInt64(value as number) ? 'int64' : 'float64'
    default:
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  }
}
