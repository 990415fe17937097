/** A text that is not the JSON that was expected. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/**
 * Far more than objects have. PostgreSQL and JavaScript read JSON recursively: a deeper one can be stored and not be sent, and exhausts
 * the stack of an embedded database, which never answers again.
 */
const MAX_DEPTH = 1_000

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * The values of an object by key, as the bytes they have in it. What is inside of values is skipped, not checked:
 * parsing whole bundles would take most of the time of storing them, and the database checks them anyway.
 */
export function membersOf(json: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>()
  let at = expect(json, skipSpace(json, 0), OPEN_OBJECT, 'an object')
  at = skipSpace(json, at)
  if (json[at] === CLOSE_OBJECT) return ending(json, at + 1, found)
  for (;;) {
    at = skipSpace(json, at)
    if (json[at] !== QUOTE) throw new JsonError(`a key is expected at byte ${at}`)
    const keyEnd = skipString(json, at)
    const key = textOf(json.subarray(at, keyEnd))
    const start = skipSpace(json, expect(json, skipSpace(json, keyEnd), COLON, '":"'))
    const end = skipValue(json, start)
    found.set(key, json.subarray(start, end))
    at = skipSpace(json, end)
    if (json[at] === CLOSE_OBJECT) return ending(json, at + 1, found)
    at = expect(json, at, COMMA, '"," or "}"')
  }
}

/** The items of a list, as the bytes they have in it. */
export function itemsOf(json: Buffer): Buffer[] {
  const found: Buffer[] = []
  let at = skipSpace(json, expect(json, skipSpace(json, 0), OPEN_LIST, 'a list'))
  if (json[at] === CLOSE_LIST) return ending(json, at + 1, found)
  for (;;) {
    const start = skipSpace(json, at)
    const end = skipValue(json, start)
    found.push(json.subarray(start, end))
    at = skipSpace(json, end)
    if (json[at] === CLOSE_LIST) return ending(json, at + 1, found)
    at = expect(json, at, COMMA, '"," or "]"')
  }
}

/** Throws `JsonError` if a value is nested too deeply. What is valid otherwise, the parser that reads it decides. */
export function checkNesting(json: Buffer): void {
  skipValue(json, skipSpace(json, 0))
}

export const isNull = (json: Buffer): boolean => json.length === 4 && json.toString('latin1') === 'null'

/** The text of a JSON string. Most have no escapes and need no parser. */
export function textOf(quoted: Buffer): string {
  if (!quoted.includes(BACKSLASH)) return quoted.toString('utf8', 1, quoted.length - 1)
  try {
    return JSON.parse(quoted.toString('utf8')) as string
  } catch (error) {
    throw new JsonError(`a string is invalid: ${(error as Error).message}`, { cause: error })
  }
}

export const isString = (json: Buffer): boolean => json[0] === QUOTE

function expect(json: Buffer, at: number, byte: number, what: string): number {
  if (json[at] !== byte) throw new JsonError(`${what} is expected at byte ${at}`)
  return at + 1
}

function ending<T>(json: Buffer, at: number, result: T): T {
  if (skipSpace(json, at) !== json.length) throw new JsonError(`the JSON ends before byte ${at}, but more follows`)
  return result
}

function skipSpace(json: Buffer, from: number): number {
  let at = from
  for (; at < json.length; at++) {
    const byte = json[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
  }
  return at
}

/** Longer strings are searched by native code, whose call takes as long as this many bytes do here. */
const SHORT = 32

/** The end of the string that begins with a quote at `from`. */
function skipString(json: Buffer, from: number): number {
  const near = Math.min(json.length, from + SHORT)
  let at = from + 1
  for (; at < near; at++) {
    const byte = json[at]
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) at++
  }
  for (const begin = at; ; ) {
    const quote = json.indexOf(QUOTE, at)
    if (quote === -1) throw new JsonError(`the string at byte ${from} does not end`)
    if (!isEscaped(json, quote, begin)) return quote + 1
    at = quote + 1
  }
}

/** Whether the byte follows an odd number of backslashes. At `begin`, none is pending. */
function isEscaped(json: Buffer, at: number, begin: number): boolean {
  let first = at
  while (first > begin && json[first - 1] === BACKSLASH) first--
  return (at - first) % 2 === 1
}

function skipValue(json: Buffer, from: number): number {
  let depth = 0
  let at = from
  while (at < json.length) {
    const byte = json[at]
    if (byte === QUOTE) {
      at = skipString(json, at)
      if (depth === 0) return at
      continue
    }
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth++
      if (depth > MAX_DEPTH) throw new JsonError(`it has more than ${MAX_DEPTH} levels of nesting at byte ${at}`)
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) break
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === COMMA || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09))
      break
    at++
  }
  if (depth > 0 || at === from) throw new JsonError(`the value at byte ${from} is not complete`)
  return at
}
