import { GO_ESCAPES } from './gotext.js'
import { ParseError } from './parse-error.js'

/** One step of a path. It maps a list of values to a list of values. */
export type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'descend' }
  | { readonly type: 'slice'; readonly slice: Slice }
  | { readonly type: 'union'; readonly paths: readonly Path[] }
  | { readonly type: 'filter'; readonly left: Path; readonly operator: string; readonly right: Path }
  | { readonly type: 'literal'; readonly value: string | number | boolean }

export type Path = readonly Step[]

export interface Slice {
  readonly from: number | undefined
  readonly to: number | undefined
  readonly step: number | undefined
  /** A single index: `to` follows from `from`. */
  readonly single: boolean
}

/** A template is text and actions; `{range path}…{end}` repeats its body. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly path: Path }
  | { readonly type: 'range'; readonly path: Path; readonly body: readonly Part[] }

const MAX_NESTING = 100
const terminators = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}'])
const word = /[\p{L}\p{Nd}_]/u
const number = /[+-]?[0-9.]*/y
const slicePattern = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/
const comparison = /^([^!<>=]+)([!<>=]+)(.+)$/s

/** Parses a template of kubectl's JSONPath dialect. Throws `ParseError`. */
export function parseTemplate(text: string): readonly Part[] {
  const outermost: Part[] = []
  const open: Part[][] = [outermost]
  let at = 0
  while (at < text.length) {
    const parts = open.at(-1) ?? outermost
    const brace = text.indexOf('{', at)
    const textEnd = brace < 0 ? text.length : brace
    if (textEnd > at) parts.push({ type: 'text', text: text.slice(at, textEnd) })
    if (brace < 0) break
    const action = new ActionParser(text, brace + 1, 0)
    const path = action.parse()
    at = action.at
    if (action.keyword === 'end') {
      if (open.length === 1) throw new ParseError('not in range, nothing to end')
      open.pop()
    } else if (action.keyword === 'range') {
      if (open.length > MAX_NESTING) throw new ParseError('too many nested ranges')
      const body: Part[] = []
      parts.push({ type: 'range', path, body })
      open.push(body)
    } else {
      parts.push({ type: 'path', path })
    }
  }
  return outermost
}

/** Parses the text between braces, up to and including the closing one. */
class ActionParser {
  at: number
  keyword: 'range' | 'end' | undefined
  readonly #text: string
  readonly #nesting: number
  readonly #steps: Step[] = []

  constructor(text: string, at: number, nesting: number) {
    if (nesting > MAX_NESTING) throw new ParseError('expression is nested too deeply')
    this.#text = text
    this.at = at
    this.#nesting = nesting
  }

  parse(): Path {
    for (;;) {
      const character = this.#text[this.at]
      if (character === '}') {
        this.at++
        return this.#steps
      }
      this.#step(character)
    }
  }

  #step(character: string | undefined): void {
    if (character === undefined || character === '\n' || character === '\r') throw new ParseError('unclosed action')
    if (character === ' ' || character === '@' || character === '$') this.at++
    else if (this.#text.startsWith('[?(', this.at)) this.#filter()
    else if (this.#text.startsWith('..', this.at)) this.#descend()
    else if (character === '[') this.#brackets()
    else if (character === '"' || character === "'") this.#quoted(character)
    else if (character === '.') this.#field(this.at + 1)
    else if (/[+\-0-9]/.test(character)) this.#number()
    else if (word.test(character)) this.#identifier()
    else {
      const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
      throw new ParseError(`unrecognized character in action: U+${code} '${character}'`)
    }
  }

  #field(start: number): void {
    this.at = start
    while (this.at < this.#text.length && !terminators.has(this.#text[this.at] ?? '')) {
      this.at += this.#text[this.at] === '\\' ? 2 : 1
    }
    const name = this.#text.slice(start, this.at)
    this.#steps.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') })
  }

  #descend(): void {
    if (this.#steps.at(-1)?.type === 'descend') throw new ParseError('invalid multiple recursive descent')
    this.#steps.push({ type: 'descend' })
    this.at += 2
    if (word.test(this.#text[this.at] ?? '')) this.#field(this.at)
  }

  #identifier(): void {
    const start = this.at
    while (this.at < this.#text.length && !terminators.has(this.#text[this.at] ?? '')) this.at++
    const name = this.#text.slice(start, this.at)
    if (name === 'true' || name === 'false') this.#steps.push({ type: 'literal', value: name === 'true' })
    else if (name === 'range' || name === 'end') this.keyword = name
    else throw new ParseError(`unrecognized identifier ${name}`)
  }

  #number(): void {
    number.lastIndex = this.at
    const digits = number.exec(this.#text)?.[0] ?? ''
    const value = Number(digits)
    if (Number.isNaN(value) || !/[0-9]/.test(digits)) throw new ParseError(`cannot parse number ${digits}`)
    this.at += digits.length
    this.#steps.push({ type: 'literal', value })
  }

  #quoted(quote: string): void {
    let end = this.at + 1
    while (this.#text[end] !== quote || this.#text[end - 1] === '\\') {
      if (end >= this.#text.length || this.#text[end] === '\n') throw new ParseError('unterminated quoted string')
      end++
    }
    const raw = this.#text.slice(this.at, end + 1)
    this.at = end + 1
    this.#steps.push({ type: 'literal', value: unquote(raw, quote) })
  }

  #brackets(): void {
    let end = this.at
    while (this.#text[end] !== ']') {
      if (end >= this.#text.length || this.#text[end] === '\n') throw new ParseError('unterminated array')
      end++
    }
    const inside = this.#text.slice(this.at + 1, end)
    this.at = end + 1
    const alternatives = inside.split(',')
    if (alternatives.length === 1) {
      this.#steps.push(...this.#bracketSteps(inside))
      return
    }
    const paths = alternatives.map((each) => this.#nested(`[${each.trim()}]`))
    this.#steps.push({ type: 'union', paths })
  }

  #bracketSteps(inside: string): Path {
    if (inside.length >= 2 && inside.startsWith("'") && inside.indexOf("'", 1) === inside.length - 1) {
      return this.#nested(`.${inside.slice(1, -1)}`)
    }
    const match = slicePattern.exec(inside === '*' ? ':' : inside)
    if (match === null) throw new ParseError(`invalid array index ${inside}`)
    const from = sliceNumber(match[1])
    const single = match[2] === undefined
    const to = single ? (from ?? 0) + 1 : sliceNumber(match[2]?.slice(1))
    return [{ type: 'slice', slice: { from, to, step: sliceNumber(match[3]?.slice(1)), single } }]
  }

  #filter(): void {
    const start = this.at + '[?('.length
    const end = this.#filterEnd(start)
    if (this.#text[end + 1] !== ']') throw new ParseError('unclosed array expect ]')
    const inside = this.#text.slice(start, end)
    this.at = end + 2
    const match = comparison.exec(inside)
    if (match === null) {
      this.#steps.push({ type: 'filter', left: this.#nested(inside), operator: 'exists', right: [] })
      return
    }
    const [, left = '', operator = '', right = ''] = match
    if (!['<', '>', '==', '!=', '<=', '>='].includes(operator)) {
      throw new ParseError(`unrecognized filter operator ${operator}`)
    }
    this.#steps.push({ type: 'filter', left: this.#nested(left), operator, right: this.#nested(right) })
  }

  /** The parenthesis that closes a filter: the first outside its quoted strings. */
  #filterEnd(start: number): number {
    let quote: string | undefined
    for (let at = start; at < this.#text.length; at++) {
      const character = this.#text[at]
      if (character === '\n') break
      if (character === ')' && quote === undefined) return at
      if (character !== '"' && character !== "'") continue
      if (quote === undefined) quote = character
      else if (character === quote && this.#text[at - 1] !== '\\') quote = undefined
    }
    throw new ParseError('unterminated filter')
  }

  #nested(source: string): Path {
    return new ActionParser(`${source}}`, 0, this.#nesting + 1).parse()
  }
}

function sliceNumber(digits: string | undefined): number | undefined {
  if (digits === undefined || digits === '') return undefined
  const value = Number(digits)
  if (!Number.isSafeInteger(value)) throw new ParseError(`array index ${digits} is not a number`)
  return value
}

const escapeSequence = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]?))/g

/** Go's string escapes, inside either kind of quotes. */
function unquote(raw: string, quote: string): string {
  const fail = (): never => {
    throw new ParseError(`unquote string ${raw} error invalid syntax`)
  }
  return raw
    .slice(1, -1)
    .replace(escapeSequence, (_, hex?: string, short?: string, long?: string, octal?: string, simple?: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
      const digits = hex ?? short ?? long
      if (digits !== undefined) {
        const code = Number.parseInt(digits, 16)
        return code > 0x10ffff ? fail() : String.fromCodePoint(code)
      }
      if (simple === quote) return quote
      return GO_ESCAPES[simple ?? ''] ?? fail()
    })
}
