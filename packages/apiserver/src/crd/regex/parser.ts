import { ANY_CHAR, type CharSet, foldCase, NOT_NEWLINE } from './charset.js'
import { type Cursor, readChar, readClass, readEscapedChar, readEscapedClass } from './classparser.js'
import { type Assertion, PatternError, type RegexNode } from './syntax.js'

const MAX_REPEAT = 1000
const MAX_DEPTH = 1000

interface Flags {
  readonly ignoreCase: boolean
  readonly multiLine: boolean
  readonly dotAll: boolean
}

const ESCAPED_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'beginText',
  z: 'endText',
  b: 'wordBoundary',
  B: 'noWordBoundary',
}

/** Parses RE2's syntax, as Go's `regexp` has it. Throws `PatternError` in Go's words. */
export function parseRegex(text: string): RegexNode {
  const parser = new Parser(text)
  const node = parser.alternation({ ignoreCase: false, multiLine: false, dotAll: false })
  if (!parser.done) throw new PatternError('unexpected )', text)
  if (repeatSize(node) > MAX_REPEAT) throw new PatternError('invalid repeat count', text)
  return node
}

class Parser {
  readonly #cursor: Cursor
  #depth = 0
  /** Flags set in the middle of a group hold until its end. */
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false }

  constructor(text: string) {
    this.#cursor = { text, at: 0 }
  }

  get done(): boolean {
    return this.#cursor.at >= this.#cursor.text.length
  }

  alternation(flags: Flags): RegexNode {
    if (++this.#depth > MAX_DEPTH) throw new PatternError('expression nests too deeply', this.#cursor.text)
    const outer = this.#flags
    this.#flags = flags
    const parts = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    this.#flags = outer
    this.#depth--
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'either', parts }
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = []
    while (!this.done && !'|)'.includes(this.#next)) {
      const start = this.#cursor.at
      const atom = this.#atom()
      if (atom) parts.push(...this.#repeated(atom, start))
    }
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'concat', parts }
  }

  /** One or more nodes for an atom and the operator behind it; the literals of `\Q…\E` are separate atoms. */
  #repeated(atoms: readonly RegexNode[], start: number): readonly RegexNode[] {
    const operator = this.#repeatOperator()
    if (!operator) return atoms
    const last = atoms.at(-1)
    if (!last) {
      const text = this.#cursor.text.slice(start, this.#cursor.at)
      throw new PatternError('missing argument to repetition operator', text)
    }
    if (this.#repeatOperator()) {
      const text = this.#cursor.text.slice(operator.start, this.#cursor.at)
      throw new PatternError('invalid nested repetition operator', text)
    }
    return [...atoms.slice(0, -1), { kind: 'repeat', part: last, min: operator.min, max: operator.max }]
  }

  #repeatOperator(): { min: number; max: number; start: number } | undefined {
    const start = this.#cursor.at
    const range = this.#repeatRange()
    if (!range) return undefined
    this.#take('?')
    return { ...range, start }
  }

  #repeatRange(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (this.#take('?')) return { min: 0, max: 1 }
    if (this.#next !== '{') return undefined
    const { text, at } = this.#cursor
    const counted = /^\{(\d{1,9})(?:(,)(\d{1,9})?)?\}/.exec(text.slice(at, at + 24))
    if (!counted) return undefined
    const min = Number(counted[1])
    const max =
      counted[2] === undefined ? min : counted[3] === undefined ? Number.POSITIVE_INFINITY : Number(counted[3])
    if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Number.POSITIVE_INFINITY) || max < min) {
      throw new PatternError('invalid repeat count', counted[0])
    }
    this.#cursor.at += counted[0].length
    return { min, max }
  }

  /** Undefined for what stands for nothing by itself: flags. */
  #atom(): readonly RegexNode[] | undefined {
    switch (this.#next) {
      case '(':
        return this.#group()
      case '[':
        return [chars(readClass(this.#cursor, this.#flags.ignoreCase))]
      case '.':
        this.#cursor.at++
        return [chars(this.#flags.dotAll ? ANY_CHAR : NOT_NEWLINE)]
      case '^':
        this.#cursor.at++
        return [assert(this.#flags.multiLine ? 'beginLine' : 'beginText')]
      case '$':
        this.#cursor.at++
        return [assert(this.#flags.multiLine ? 'endLine' : 'endText')]
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        throw new PatternError('missing argument to repetition operator', this.#next)
      default:
        return [this.#literal(readChar(this.#cursor))]
    }
  }

  #escape(): readonly RegexNode[] {
    const { text, at } = this.#cursor
    const letter = text[at + 1] ?? ''
    const assertion = Object.hasOwn(ESCAPED_ASSERTIONS, letter) ? ESCAPED_ASSERTIONS[letter] : undefined
    if (assertion) {
      this.#cursor.at += 2
      return [assert(assertion)]
    }
    if (letter === 'Q') return this.#quoted()
    const set = readEscapedClass(this.#cursor)
    return [set ? chars(this.#flags.ignoreCase ? foldCase(set) : set) : this.#literal(readEscapedChar(this.#cursor))]
  }

  #quoted(): readonly RegexNode[] {
    const { text, at } = this.#cursor
    const end = text.indexOf('\\E', at + 2)
    const literal = text.slice(at + 2, end < 0 ? undefined : end)
    this.#cursor.at = end < 0 ? text.length : end + 2
    return [...literal].map((character) => this.#literal(character.codePointAt(0) as number))
  }

  #group(): readonly RegexNode[] | undefined {
    const flags = this.#groupFlags()
    if (flags === 'set') return undefined
    const node = this.alternation(flags)
    if (!this.#take(')')) throw new PatternError('missing closing )', this.#cursor.text)
    return [node]
  }

  /** Reads the head of a group: the flags inside it, or `set` when it only changed those around it. */
  #groupFlags(): Flags | 'set' {
    const { text, at } = this.#cursor
    if (text[at + 1] !== '?') {
      this.#cursor.at++
      return this.#flags
    }
    const name = /^\(\?P?<([^>]*)>/.exec(text.slice(at))
    if (name) {
      if (!/^\w+$/.test(name[1] as string)) throw new PatternError('invalid named capture', name[0])
      this.#cursor.at += name[0].length
      return this.#flags
    }
    const head = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(text.slice(at, at + 24))
    if (!head)
      throw new PatternError('invalid or unsupported Perl syntax', text.slice(at, at + unsupportedLength(text, at)))
    this.#cursor.at += head[0].length
    const flags = withFlags(withFlags(this.#flags, head[1] as string, true), head[2] ?? '', false)
    if (head[3] === ':') return flags
    this.#flags = flags
    return 'set'
  }

  #literal(code: number): RegexNode {
    const set: CharSet = [code, code]
    return chars(this.#flags.ignoreCase ? foldCase(set) : set)
  }

  get #next(): string {
    return this.#cursor.text[this.#cursor.at] ?? ''
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false
    this.#cursor.at++
    return true
  }
}

/** How much of an unsupported group head an error shows: `(?<` of look-behinds takes one more. */
function unsupportedLength(text: string, at: number): number {
  return text[at + 2] === '<' ? 4 : 3
}

function withFlags(flags: Flags, letters: string, on: boolean): Flags {
  return {
    ignoreCase: letters.includes('i') ? on : flags.ignoreCase,
    multiLine: letters.includes('m') ? on : flags.multiLine,
    dotAll: letters.includes('s') ? on : flags.dotAll,
  }
}

function chars(set: CharSet): RegexNode {
  return { kind: 'chars', set }
}

function assert(what: Assertion): RegexNode {
  return { kind: 'assert', what }
}

/** How often the most repeated part is written out when counts are expanded. */
function repeatSize(node: RegexNode): number {
  switch (node.kind) {
    case 'repeat': {
      const count = node.max === Number.POSITIVE_INFINITY ? node.min : node.max
      return Math.max(count, 1) * repeatSize(node.part)
    }
    case 'concat':
    case 'either':
      return node.parts.reduce((most, part) => Math.max(most, repeatSize(part)), 1)
    default:
      return 1
  }
}
