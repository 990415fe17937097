import { isAscii, isUtf8 } from 'node:buffer'
import { badRequest, childPath, indexPath, keyPath } from '@orrery/kinds/values'
import { isSpace, scanJson } from './scan.js'
import { type VerbatimMember, verbatimMember } from './verbatim.js'

export interface ParsedJson {
  readonly value: unknown
  /** Field paths that occur twice in one object, in order, limited in number. */
  readonly duplicates: readonly string[]
  /** The longest member that can be stored unchanged, if it is long enough to matter. */
  readonly verbatim: VerbatimMember | undefined
}

/** The maximum nesting, since every later walk over the value is recursive. */
const MAX_DEPTH = 1000

/** The start of the error for a body that cannot be parsed. */
export const VERSION_KIND_ERROR = "couldn't get version/kind; json parse error"

/**
 * Parses a request body. Beyond `JSON.parse` it refuses values that would be lost or harmful: invalid UTF-8, extreme
 * nesting, `__proto__` keys and integers that a double cannot represent; and it finds duplicate keys. Throws a 400
 * `StatusError`; `onError` precedes the syntax error. Many small values take far more memory and time than their bytes:
 * `maxValues` limits them.
 */
export function parseJson(
  bytes: Buffer,
  onError = VERSION_KIND_ERROR,
  maxValues = Number.POSITIVE_INFINITY,
): ParsedJson {
  // Decoding ASCII as Latin-1 copies it.
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8'
  if (encoding === 'utf8' && !isUtf8(bytes)) throw badRequest('the request body is not valid UTF-8')
  const scan = scanJson(bytes)
  if (scan.depth > MAX_DEPTH) throw badRequest(`json: exceeded max depth of ${MAX_DEPTH}`)
  if (scan.values > maxValues) throw badRequest(`json: exceeded max number of values of ${maxValues}`)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString(encoding))
  } catch (error) {
    throw badRequest(`${onError}: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (scan.suspicious) refuseProtoKeys(value, '')
  if (scan.longNumber) refuseInexactIntegers(bytes.toString('utf8'))
  const duplicates = scan.keys === countKeys(value) ? [] : findDuplicates(bytes.toString('utf8'))
  const kept = duplicates.length === 0 ? scan.plainest : undefined
  return { value, duplicates, verbatim: kept && verbatimMember(bytes, kept, value) }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item)
    return count
  }
  for (const key in value) {
    count++
    const child = (value as Record<string, unknown>)[key]
    if (typeof child === 'object') count += countKeys(child)
  }
  return count
}

function refuseProtoKeys(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value)) {
    const at = Array.isArray(value) ? keyPath(path, key) : childPath(path, key)
    if (key === '__proto__') throw badRequest(`the field name "__proto__" is not accepted (at ${at})`)
    refuseProtoKeys(child, at)
  }
}

/** Kubernetes integers have 64 bits, exact ones of JavaScript 53: they are refused instead of silently changed. */
function refuseInexactIntegers(text: string): void {
  const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  for (const [literal] of withoutStrings.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (/^-?\d{16,}$/.test(literal) && !isExact(literal)) {
      throw badRequest(
        `the integer ${literal.slice(0, 40)} cannot be represented exactly: use a value within ±2^53 or a string`,
      )
    }
  }
}

/** Longer integers exceed every double and are slow to compare. */
const MAX_EXACT = 300

function isExact(literal: string): boolean {
  return literal.length <= MAX_EXACT && BigInt(Number(literal)) === BigInt(literal)
}

/** The maximum number of duplicate keys that a response reports. */
const MAX_DUPLICATES = 100

/** Returns the paths of duplicate keys. Runs only if there are some. */
function findDuplicates(text: string): string[] {
  const found: string[] = []
  let at = 0
  const skip = () => {
    while (at < text.length && isSpace(text.charCodeAt(at))) at++
  }
  const string = (): string => {
    const start = at
    for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++
    at++
    return JSON.parse(text.slice(start, at)) as string
  }
  const value = (path: string): void => {
    skip()
    if (text[at] === '{') object(path)
    else if (text[at] === '[') array(path)
    else if (text[at] === '"') string()
    else while (at < text.length && !',]}'.includes(text[at] as string)) at++
  }
  const object = (path: string): void => {
    const seen = new Set<string>()
    at++
    for (skip(); text[at] !== '}'; skip()) {
      if (text[at] === ',') {
        at++
        skip()
      }
      const key = string()
      const child = childPath(path, key)
      if (seen.has(key) && found.length < MAX_DUPLICATES) found.push(child)
      seen.add(key)
      skip()
      at++
      value(child)
    }
    at++
  }
  const array = (path: string): void => {
    at++
    let index = 0
    for (skip(); text[at] !== ']'; skip()) {
      if (text[at] === ',') at++
      value(indexPath(path, index++))
    }
    at++
  }
  value('')
  return found
}
