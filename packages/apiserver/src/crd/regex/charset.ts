/** Sorted ranges of code points that do not touch: `[lo, hi, lo, hi, …]`, both ends included. */
export type CharSet = readonly number[]

export const MAX_CODE_POINT = 0x10ffff

export const ANY_CHAR: CharSet = [0, MAX_CODE_POINT]
export const NOT_NEWLINE: CharSet = [0, 9, 11, MAX_CODE_POINT]
export const DIGIT: CharSet = [0x30, 0x39]
export const SPACE: CharSet = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]
export const WORD: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]

export const POSIX_CLASSES: ReadonlyMap<string, CharSet> = new Map([
  ['alnum', [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a]],
  ['alpha', [0x41, 0x5a, 0x61, 0x7a]],
  ['ascii', [0x00, 0x7f]],
  ['blank', [0x09, 0x09, 0x20, 0x20]],
  ['cntrl', [0x00, 0x1f, 0x7f, 0x7f]],
  ['digit', DIGIT],
  ['graph', [0x21, 0x7e]],
  ['lower', [0x61, 0x7a]],
  ['print', [0x20, 0x7e]],
  ['punct', [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]],
  ['space', [0x09, 0x0d, 0x20, 0x20]],
  ['upper', [0x41, 0x5a]],
  ['word', WORD],
  ['xdigit', [0x30, 0x39, 0x41, 0x46, 0x61, 0x66]],
])

/** Puts ranges in order and joins those that touch. */
export function charSet(ranges: readonly (readonly [number, number])[]): CharSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0])
  const set: number[] = []
  for (const [lo, hi] of sorted) {
    const end = set.at(-1)
    if (end !== undefined && lo <= end + 1) set[set.length - 1] = Math.max(end, hi)
    else set.push(lo, hi)
  }
  return set
}

export function rangesOf(set: CharSet): [number, number][] {
  const ranges: [number, number][] = []
  for (let index = 0; index < set.length; index += 2) ranges.push([set[index] as number, set[index + 1] as number])
  return ranges
}

export function complement(set: CharSet): CharSet {
  const result: number[] = []
  let next = 0
  for (const [lo, hi] of rangesOf(set)) {
    if (lo > next) result.push(next, lo - 1)
    next = hi + 1
  }
  if (next <= MAX_CODE_POINT) result.push(next, MAX_CODE_POINT)
  return result
}

export function hasChar(set: CharSet, code: number): boolean {
  let low = 0
  let high = set.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (code < (set[2 * middle] as number)) high = middle - 1
    else if (code > (set[2 * middle + 1] as number)) low = middle + 1
    else return true
  }
  return false
}

/** Longer ranges than this hold both cases of nearly all their letters already. */
const FOLDED_RANGE = 0x1000

/** The set with the other cases of its letters. */
export function foldCase(set: CharSet): CharSet {
  const ranges = rangesOf(set)
  for (const [lo, hi] of rangesOf(set)) {
    for (let code = lo; code <= Math.min(hi, lo + FOLDED_RANGE); code++) {
      const text = String.fromCodePoint(code)
      for (const other of [text.toLowerCase(), text.toUpperCase()]) {
        const folded = other.codePointAt(0) as number
        if (other.length === String.fromCodePoint(folded).length) ranges.push([folded, folded])
      }
    }
  }
  return charSet(ranges)
}

const unicodeSets = new Map<string, CharSet>()

/** The code points of a Unicode category or script, such as `L`, `Lu` or `Greek`; undefined when there is none. */
export function unicodeClass(name: string): CharSet | undefined {
  if (name === 'Any') return ANY_CHAR
  const known = unicodeSets.get(name)
  if (known) return known
  const test = propertyTest(name)
  if (!test) return undefined
  const set = codePointsWhere((text) => test.test(text))
  unicodeSets.set(name, set)
  return set
}

function propertyTest(name: string): RegExp | undefined {
  if (!/^[A-Za-z_]{1,40}$/.test(name)) return undefined
  const property = name.length <= 2 ? `General_Category=${name}` : `Script=${name}`
  try {
    return new RegExp(`^\\p{${property}}$`, 'u')
  } catch {
    return undefined
  }
}

function codePointsWhere(holds: (text: string) => boolean): CharSet {
  const set: number[] = []
  for (let code = 0; code <= MAX_CODE_POINT; code++) {
    if (!holds(String.fromCodePoint(code))) continue
    if (set.at(-1) === code - 1) set[set.length - 1] = code
    else set.push(code, code)
  }
  return set
}
