import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { RegexError } from '../regex/parser.js'
import { compileRegex, type Regex } from '../regex/regex.js'
import { ArrayList, type CelList } from '../values/list.js'
import { CelEvalError, type CelInt } from '../values/value.js'

const CACHE_SIZE = 256
const cache = new Map<string, Regex>()

/** A compiled pattern; recently used ones are cached. Throws if it is not valid. */
export function cachedRegex(pattern: string, problem = ''): Regex {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  const compiled = compile(pattern, problem)
  const [oldest] = cache.keys()
  if (cache.size >= CACHE_SIZE && oldest !== undefined) cache.delete(oldest)
  cache.set(pattern, compiled)
  return compiled
}

function compile(pattern: string, problem: string): Regex {
  try {
    return compileRegex(pattern)
  } catch (error) {
    if (error instanceof RegexError) throw new CelEvalError(problem + error.message)
    throw error
  }
}

/** Kubernetes' `find` and `findAll`. */
export const regex: CelLibrary = {
  name: 'kubernetes.regex',
  overloads: [
    overload('string_find_string', 'string.find(string) -> string', (text: string, pattern: string) => {
      const match = cachedRegex(pattern, 'Illegal regex: ').find(text)
      return match === undefined ? '' : text.slice(match.start, match.end)
    }),
    overload('string_find_all_string', 'string.findAll(string) -> list(string)', (text: string, pattern: string) =>
      findAll(text, pattern, -1),
    ),
    overload('string_find_all_string_int', 'string.findAll(string, int) -> list(string)', findAll),
  ],
}

function findAll(text: string, pattern: string, limit: CelInt): CelList {
  const compiled = cachedRegex(pattern, 'Illegal regex: ')
  const found: string[] = []
  let at = 0
  let lastEnd = -1
  while (at <= text.length && (limit < 0 || found.length < limit)) {
    const match = compiled.find(text, at)
    if (match === undefined) break
    // An empty match right after another match does not count.
    if (match.end > match.start || match.start !== lastEnd) found.push(text.slice(match.start, match.end))
    lastEnd = match.end
    at = match.end > match.start ? match.end : match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1)
  }
  return new ArrayList(found)
}
