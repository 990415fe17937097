/** A set of code points. */
export interface CodePoints {
  has(code: number): boolean
}

/** All code points of several sets. */
export function anyOf(sets: readonly CodePoints[]): CodePoints {
  return { has: (code) => sets.some((set) => set.has(code)) }
}

/** Ranges for most classes, native property tests for `\p{…}`, and a table for ASCII. */
export class CharClass implements CodePoints {
  readonly #ranges: readonly number[]
  readonly #tests: readonly PropertyTest[]
  readonly #negated: boolean
  readonly #ascii = new Uint8Array(128)

  /** `ranges` are pairs of first and last code point, in any order. */
  constructor(ranges: readonly number[], tests: readonly PropertyTest[] = [], negated = false) {
    this.#ranges = ranges
    this.#tests = tests
    this.#negated = negated
    for (let code = 0; code < 128; code++) this.#ascii[code] = this.#search(code) ? 1 : 0
  }

  has(code: number): boolean {
    return code < 128 ? this.#ascii[code] === 1 : this.#search(code)
  }

  #search(code: number): boolean {
    for (let i = 0; i < this.#ranges.length; i += 2) {
      if (code >= (this.#ranges[i] ?? 0) && code <= (this.#ranges[i + 1] ?? 0)) return !this.#negated
    }
    for (const { pattern, negated } of this.#tests) {
      if (pattern.test(String.fromCodePoint(code)) !== negated) return !this.#negated
    }
    return this.#negated
  }
}

/** A Unicode property of the platform. */
export interface PropertyTest {
  readonly pattern: RegExp
  readonly negated: boolean
}

const NEWLINE = 10

export const anyCharacter = new CharClass([0, 0x10ffff])
export const anyButNewline = new CharClass([NEWLINE, NEWLINE], [], true)

const digit = [48, 57]
const space = [9, 10, 12, 13, 32, 32]
const wordCharacter = [48, 57, 65, 90, 95, 95, 97, 122]

/** `\d`, `\s`, `\w`: ASCII only, as in RE2. */
export const perlClasses: ReadonlyMap<string, readonly number[]> = new Map([
  ['d', digit],
  ['s', space],
  ['w', wordCharacter],
])

/** `[:alpha:]` and the other POSIX classes. */
export const posixClasses: ReadonlyMap<string, readonly number[]> = new Map([
  ['alnum', [48, 57, 65, 90, 97, 122]],
  ['alpha', [65, 90, 97, 122]],
  ['ascii', [0, 127]],
  ['blank', [9, 9, 32, 32]],
  ['cntrl', [0, 31, 127, 127]],
  ['digit', digit],
  ['graph', [33, 126]],
  ['lower', [97, 122]],
  ['print', [32, 126]],
  ['punct', [33, 47, 58, 64, 91, 96, 123, 126]],
  ['space', [9, 13, 32, 32]],
  ['upper', [65, 90]],
  ['word', wordCharacter],
  ['xdigit', [48, 57, 65, 70, 97, 102]],
])

/** All code points outside the ranges. */
export function complement(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i] ?? 0, ranges[i + 1] ?? 0])
  pairs.sort(([a], [b]) => a - b)
  const outside: number[] = []
  let next = 0
  for (const [first, last] of pairs) {
    if (first > next) outside.push(next, first - 1)
    next = Math.max(next, last + 1)
  }
  if (next <= 0x10ffff) outside.push(next, 0x10ffff)
  return outside
}

/** Larger ranges are scripts and the like, which contain both cases of their letters. */
const FOLD_LIMIT = 1_000

/** Letters with more than two forms, in groups, and the dotless i, which has only one. */
const MANY_FORMS =
  'kK\u212a sS\u017f åÅ\u212b \u00b5\u03bc\u039c ǆǅǄ ǉǈǇ ǌǋǊ ǳǲǱ \u0345ι\u0399\u1fbe βΒϐ εΕϵ θΘϑϴ κΚϰ πΠϖ ρΡϱ σΣς φΦϕ ωΩ\u2126 ṡṠẛ вВᲀ дДᲁ оОᲂ сСᲃ тТᲄᲅ ъЪᲆ ѣѢᲇ ꙋꙊᲈ ßẞ ı'

const formsOf: ReadonlyMap<string, readonly string[]> = new Map(
  MANY_FORMS.split(' ').flatMap((group) => [...group].map((letter) => [letter, [...group]] as const)),
)

/** Adds the other case of every letter. */
export function foldCase(ranges: readonly number[]): number[] {
  const folded = [...ranges]
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i] ?? 0
    const last = Math.min(ranges[i + 1] ?? 0, first + FOLD_LIMIT)
    for (let code = first; code <= last; code++) {
      const text = String.fromCodePoint(code)
      for (const other of formsOf.get(text) ?? [text.toLowerCase(), text.toUpperCase()]) {
        const point = other.codePointAt(0) ?? code
        if (point !== code && String.fromCodePoint(point) === other) folded.push(point, point)
      }
    }
  }
  return folded
}

/** Finds a general category (`L`, `Nd`) or script (`Greek`). */
export function unicodeProperty(name: string): RegExp | undefined {
  if (name === 'Any') return /[\s\S]/u
  if (!/^[A-Za-z_]+$/.test(name)) return undefined
  for (const property of [`General_Category=${name}`, `Script=${name}`]) {
    try {
      return new RegExp(`^\\p{${property}}$`, 'u')
    } catch {
      // Not of this type: try the next.
    }
  }
  return undefined
}
