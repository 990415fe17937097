import {
  anyButNewline,
  anyCharacter,
  anyOf,
  CharClass,
  type CodePoints,
  complement,
  foldCase,
  type PropertyTest,
  perlClasses,
  posixClasses,
  unicodeProperty,
} from './char-class.js'

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'notWordBoundary'

export type Node =
  | { readonly type: 'class'; readonly class: CodePoints }
  | { readonly type: 'assert'; readonly assertion: Assertion }
  | { readonly type: 'sequence'; readonly items: readonly Node[] }
  | { readonly type: 'choice'; readonly options: readonly Node[] }
  | {
      readonly type: 'repeat'
      readonly item: Node
      readonly min: number
      readonly max: number
      readonly greedy: boolean
    }

/** An invalid pattern, with the message of Go's `regexp` package. */
export class RegexError extends Error {
  constructor(problem: string, at: string) {
    super(`error parsing regexp: ${problem}: \`${at}\``)
    this.name = 'RegexError'
  }
}

interface Flags {
  readonly ignoreCase: boolean
  readonly multiLine: boolean
  readonly dotAll: boolean
  readonly ungreedy: boolean
}

const MAX_REPEAT = 1_000
const MAX_NESTING = 250

const controlEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
])

/** Parses RE2 syntax. Throws `RegexError`. */
export function parseRegex(pattern: string): Node {
  const parser = new Parser(pattern)
  return parser.parse()
}

/** Whether nothing in a pattern is repeated more often than this, with nested repetitions multiplied. */
function isWithin(node: Node, times: number): boolean {
  switch (node.type) {
    case 'repeat': {
      const { item, min, max } = node
      const count = max === Number.POSITIVE_INFINITY ? min : max
      return max === 0 || (count <= times && isWithin(item, count === 0 ? times : Math.floor(times / count)))
    }
    case 'sequence':
      return node.items.every((item) => isWithin(item, times))
    case 'choice':
      return node.options.every((option) => isWithin(option, times))
    default:
      return true
  }
}

class Parser {
  readonly #text: string
  #at = 0
  #nesting = 0
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false, ungreedy: false }

  constructor(text: string) {
    this.#text = text
  }

  parse(): Node {
    const node = this.#choice()
    if (this.#at < this.#text.length) throw new RegexError('unexpected )', this.#text)
    return node
  }

  #choice(): Node {
    const options = [this.#sequence()]
    while (this.#text[this.#at] === '|') {
      this.#at++
      options.push(this.#sequence())
    }
    if (options.length === 1) return options[0] as Node
    // `a|b|c` is `[abc]`, and runs as one step.
    const classes = options.flatMap((option) => (option.type === 'class' ? [option.class] : []))
    if (classes.length === options.length) return { type: 'class', class: anyOf(classes) }
    return { type: 'choice', options }
  }

  #sequence(): Node {
    const items: Node[] = []
    while (this.#at < this.#text.length && this.#text[this.#at] !== '|' && this.#text[this.#at] !== ')') {
      const atom = this.#atom()
      if (atom !== undefined) items.push(this.#repeated(atom))
    }
    return items.length === 1 ? (items[0] as Node) : { type: 'sequence', items }
  }

  #repeated(atom: Node): Node {
    const start = this.#at
    const repetition = this.#repetition()
    if (repetition === undefined) return atom
    if (this.#repetition() !== undefined) {
      throw new RegexError('invalid nested repetition operator', this.#text.slice(start, this.#at))
    }
    const repeat: Node = { type: 'repeat', item: atom, ...repetition }
    // Limits the product of nested repetitions, also of what matches the empty string.
    if (!isWithin(repeat, MAX_REPEAT)) throw new RegexError('invalid repeat count', this.#text.slice(start, this.#at))
    return repeat
  }

  #repetition(): { min: number; max: number; greedy: boolean } | undefined {
    const character = this.#text[this.#at]
    let min = 0
    let max = Number.POSITIVE_INFINITY
    if (character === '+') min = 1
    else if (character === '?') max = 1
    else if (character !== '*') {
      const match = /^\{(\d{1,9})(,(\d{0,9}))?\}/.exec(this.#text.slice(this.#at, this.#at + 22))
      if (character !== '{' || match === null) return undefined
      min = Number(match[1])
      if (match[2] === undefined) max = min
      else if (match[3] !== '') max = Number(match[3])
      if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT) || min > max) {
        throw new RegexError('invalid repeat count', match[0])
      }
      this.#at += match[0].length - 1
    }
    this.#at++
    const lazy = this.#text[this.#at] === '?'
    if (lazy) this.#at++
    return { min, max, greedy: lazy === this.#flags.ungreedy }
  }

  #atom(): Node | undefined {
    const start = this.#at
    if (this.#repetition() !== undefined) {
      throw new RegexError('missing argument to repetition operator', this.#text.slice(start, this.#at))
    }
    const character = this.#text[this.#at] ?? ''
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return { type: 'class', class: this.#bracketClass() }
      case '.':
        this.#at++
        return { type: 'class', class: this.#flags.dotAll ? anyCharacter : anyButNewline }
      case '^':
        this.#at++
        return { type: 'assert', assertion: this.#flags.multiLine ? 'lineStart' : 'textStart' }
      case '$':
        this.#at++
        return { type: 'assert', assertion: this.#flags.multiLine ? 'lineEnd' : 'textEnd' }
      case '\\':
        return this.#escape()
      default:
        return this.#literal(this.#codePoint())
    }
  }

  #group(): Node | undefined {
    if (++this.#nesting > MAX_NESTING) throw new RegexError('expression nests too deeply', this.#text)
    const before = this.#flags
    const start = this.#at
    this.#at++
    if (this.#text[this.#at] === '?' && !this.#groupHead(start)) {
      this.#nesting--
      return undefined
    }
    const node = this.#choice()
    if (this.#text[this.#at] !== ')') throw new RegexError('missing closing )', this.#text)
    this.#at++
    this.#nesting--
    this.#flags = before
    return node
  }

  /** Parses `?:`, `?P<name>`, `?i:` or `?i)`. False if the flags apply to the end of the enclosing group. */
  #groupHead(start: number): boolean {
    const name = /^\?P?<(\w+)>/.exec(this.#text.slice(this.#at))
    if (name !== null) {
      this.#at += name[0].length
      return true
    }
    const head = /^\?([imsU]*)(-[imsU]+)?([:)])/.exec(this.#text.slice(this.#at))
    if (head === null) {
      const shown = this.#text.slice(start, start + (this.#text[start + 2] === '<' ? 4 : 3))
      throw new RegexError('invalid or unsupported Perl syntax', shown)
    }
    const [all, on = '', off = '', end] = head
    const flag = (letter: string, current: boolean) => (current || on.includes(letter)) && !off.includes(letter)
    this.#flags = {
      ignoreCase: flag('i', this.#flags.ignoreCase),
      multiLine: flag('m', this.#flags.multiLine),
      dotAll: flag('s', this.#flags.dotAll),
      ungreedy: flag('U', this.#flags.ungreedy),
    }
    this.#at += all.length
    return end === ':'
  }

  #escape(): Node | undefined {
    const letter = this.#text[this.#at + 1]
    switch (letter) {
      case undefined:
        throw new RegexError('trailing backslash at end of expression', '')
      case 'A':
        return this.#assertion('textStart')
      case 'z':
        return this.#assertion('textEnd')
      case 'b':
        return this.#assertion('wordBoundary')
      case 'B':
        return this.#assertion('notWordBoundary')
      case 'Q':
        return this.#quoted()
      default: {
        const set = this.#classEscape()
        if (set !== undefined) return { type: 'class', class: new CharClass(set.ranges, set.tests) }
        return this.#literal(this.#escapedCodePoint())
      }
    }
  }

  #assertion(assertion: Assertion): Node {
    this.#at += 2
    return { type: 'assert', assertion }
  }

  /** `\Q…\E`: everything in between is literal. */
  #quoted(): Node {
    const end = this.#text.indexOf('\\E', this.#at)
    const inside = this.#text.slice(this.#at + 2, end < 0 ? this.#text.length : end)
    this.#at = end < 0 ? this.#text.length : end + 2
    return { type: 'sequence', items: [...inside].map((character) => this.#literal(character.codePointAt(0) ?? 0)) }
  }

  #literal(code: number): Node {
    const ranges = this.#flags.ignoreCase ? foldCase([code, code]) : [code, code]
    return { type: 'class', class: new CharClass(ranges) }
  }

  /** `\d`, `\W`, `\pL`, `\P{Greek}`. */
  #classEscape(): { ranges: readonly number[]; tests: readonly PropertyTest[] } | undefined {
    const letter = this.#text[this.#at + 1] ?? ''
    const perl = perlClasses.get(letter.toLowerCase())
    if (perl !== undefined) {
      this.#at += 2
      return { ranges: letter === letter.toLowerCase() ? perl : complement(perl), tests: [] }
    }
    if (letter !== 'p' && letter !== 'P') return undefined
    const match = /^\\[pP](?:\{(\^?)([^}]*)\}|(.))/su.exec(this.#text.slice(this.#at))
    const pattern = unicodeProperty(match?.[2] ?? match?.[3] ?? '')
    if (match === null || pattern === undefined) {
      throw new RegexError('invalid character class range', match?.[0] ?? this.#text.slice(this.#at))
    }
    this.#at += match[0].length
    return { ranges: [], tests: [{ pattern, negated: (letter === 'P') !== (match[1] === '^') }] }
  }

  #bracketClass(): CharClass {
    const start = this.#at
    this.#at++
    const negated = this.#text[this.#at] === '^'
    if (negated) this.#at++
    const ranges: number[] = []
    const tests: PropertyTest[] = []
    let first = true
    while (first || this.#text[this.#at] !== ']') {
      if (this.#at >= this.#text.length) throw new RegexError('missing closing ]', this.#text.slice(start))
      first = false
      this.#classItem(ranges, tests, start)
    }
    this.#at++
    return new CharClass(this.#flags.ignoreCase ? foldCase(ranges) : ranges, tests, negated)
  }

  #classItem(ranges: number[], tests: PropertyTest[], start: number): void {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.#text.slice(this.#at, this.#at + 14))
    if (posix !== null) {
      const named = posixClasses.get(posix[2] ?? '')
      if (named === undefined) throw new RegexError('invalid character class range', posix[0])
      ranges.push(...(posix[1] === '^' ? complement(named) : named))
      this.#at += posix[0].length
      return
    }
    const set = this.#text[this.#at] === '\\' ? this.#classEscape() : undefined
    if (set !== undefined) {
      ranges.push(...set.ranges)
      tests.push(...set.tests)
      return
    }
    const itemStart = this.#at
    const low = this.#classCharacter(start)
    let high = low
    if (this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']' && this.#at + 1 < this.#text.length) {
      this.#at++
      high = this.#classCharacter(start)
      if (high < low) throw new RegexError('invalid character class range', this.#text.slice(itemStart, this.#at))
    }
    ranges.push(low, high)
  }

  #classCharacter(start: number): number {
    if (this.#at >= this.#text.length) throw new RegexError('missing closing ]', this.#text.slice(start))
    return this.#text[this.#at] === '\\' ? this.#escapedCodePoint() : this.#codePoint()
  }

  #escapedCodePoint(): number {
    const rest = this.#text.slice(this.#at, this.#at + 12)
    const numeric = /^\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,8})\}|([1-7][0-7]{1,2}|0[0-7]{0,2}))/.exec(rest)
    if (numeric !== null) {
      this.#at += numeric[0].length
      const code = Number.parseInt(numeric[1] ?? numeric[2] ?? numeric[3] ?? '', numeric[3] === undefined ? 16 : 8)
      if (code > 0x10ffff) throw new RegexError('invalid escape sequence', numeric[0])
      return code
    }
    const letter = this.#text[this.#at + 1] ?? ''
    if (letter === '') throw new RegexError('trailing backslash at end of expression', '')
    const control = controlEscapes.get(letter)
    if (control === undefined && /[A-Za-z0-9\u0080-\uffff]/.test(letter)) {
      throw new RegexError('invalid escape sequence', `\\${letter}`)
    }
    this.#at += 2
    return control ?? letter.charCodeAt(0)
  }

  #codePoint(): number {
    const code = this.#text.codePointAt(this.#at) ?? 0
    this.#at += code > 0xffff ? 2 : 1
    return code
  }
}
