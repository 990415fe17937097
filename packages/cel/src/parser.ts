import { ACCUMULATOR, type CallExpr, type Expr, type IdentExpr, type ListExpr, type LiteralExpr } from './ast.js'
import type { IssueList, Offset } from './issue.js'
import { expandMacro, type MacroContext, MacroError, type MacroTable } from './macro.js'
import { type Token, tokenize } from './token.js'
import { unescapeBytes, unescapeString } from './unescape.js'
import { CelDouble, CelUint, type CelValue, intOf } from './values/value.js'

const MAX_NESTING = 250
const MAX_LENGTH = 100_000

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
)

const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in'])
const operatorNames: ReadonlyMap<string, string> = new Map([
  ...['<', '<=', '>=', '>', '==', '!=', '+', '-', '*', '/', '%'].map((sign): [string, string] => [sign, `_${sign}_`]),
  ['in', '@in'],
])

const EXPRESSION_START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Ends the parsing of an invalid expression; the issue has been reported. */
class Unreadable extends Error {}

/** Parses an expression and expands its macros. Undefined if there are issues. */
export function parse(source: string, macros: MacroTable, issues: IssueList): Expr | undefined {
  if (source.length > MAX_LENGTH) {
    issues.report(0, `expression code point size exceeds limit: size: ${[...source].length}, limit ${MAX_LENGTH}`)
    return undefined
  }
  const tokens = tokenize(source, issues)
  try {
    const expr = new Parser(tokens, macros, issues).parse()
    return issues.empty ? expr : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

class Parser implements MacroContext {
  readonly #tokens: readonly Token[]
  readonly #macros: MacroTable
  readonly #issues: IssueList
  #at = 0
  #nextId = 1
  #nesting = 0

  constructor(tokens: readonly Token[], macros: MacroTable, issues: IssueList) {
    this.#tokens = tokens
    this.#macros = macros
    this.#issues = issues
  }

  parse(): Expr {
    const expr = this.#expression()
    const rest = this.#peek()
    if (rest.type !== 'end') {
      this.#issues.report(rest.at, `Syntax error: extraneous input '${rest.text}' expecting <EOF>`)
    }
    return expr
  }

  id(): number {
    return this.#nextId++
  }

  literal(value: CelValue, at: Offset): LiteralExpr {
    return { type: 'literal', value, id: this.id(), at }
  }

  ident(name: string, at: Offset): IdentExpr {
    return { type: 'ident', name, id: this.id(), at }
  }

  list(items: readonly Expr[], at: Offset): ListExpr {
    return { type: 'list', items, optional: new Set(), id: this.id(), at }
  }

  call(name: string, args: readonly Expr[], at: Offset): CallExpr {
    return { type: 'call', name, target: undefined, args, id: this.id(), at }
  }

  #expression(): Expr {
    if (++this.#nesting > MAX_NESTING) {
      this.#fail(this.#peek().at, `expression recursion limit exceeded: ${MAX_NESTING}`)
    }
    const condition = this.#logical('||')
    const question = this.#take('?')
    let expr = condition
    if (question !== undefined) {
      const then = this.#logical('||')
      this.#expect(':')
      expr = this.call('_?_:_', [condition, then, this.#expression()], question.at)
    }
    this.#nesting--
    return expr
  }

  /** A chain of `||` or `&&`, as a balanced tree so that long chains stay shallow. */
  #logical(sign: '||' | '&&'): Expr {
    const terms = [this.#logicalTerm(sign)]
    const signs: Offset[] = []
    for (let token = this.#take(sign); token !== undefined; token = this.#take(sign)) {
      signs.push(token.at)
      terms.push(this.#logicalTerm(sign))
    }
    return this.#balanced(`_${sign}_`, terms, signs, 0, signs.length - 1)
  }

  #logicalTerm(sign: '||' | '&&'): Expr {
    return sign === '||' ? this.#logical('&&') : this.#relation()
  }

  #balanced(name: string, terms: readonly Expr[], signs: readonly Offset[], first: number, last: number): Expr {
    if (first > last) return terms[first] as Expr
    const middle = Math.floor((first + last + 1) / 2)
    const left = this.#balanced(name, terms, signs, first, middle - 1)
    const right = this.#balanced(name, terms, signs, middle + 1, last)
    return this.call(name, [left, right], signs[middle] as Offset)
  }

  #relation(): Expr {
    return this.#leftAssociative(
      () => this.#sum(),
      (token) => relations.has(token.text),
    )
  }

  #sum(): Expr {
    return this.#leftAssociative(
      () => this.#product(),
      ({ text }) => text === '+' || text === '-',
    )
  }

  #product(): Expr {
    return this.#leftAssociative(
      () => this.#unary(),
      ({ text }) => text === '*' || text === '/' || text === '%',
    )
  }

  #leftAssociative(operand: () => Expr, isOperator: (token: Token) => boolean): Expr {
    let left = operand()
    let depth = 0
    while (isOperator(this.#peek())) {
      if (++depth > MAX_NESTING) this.#fail(this.#peek().at, 'max recursion depth exceeded')
      const token = this.#next()
      left = this.call(operatorNames.get(token.text) as string, [left, operand()], token.at)
    }
    return left
  }

  #unary(): Expr {
    const sign = this.#peek()
    if (sign.type !== 'symbol' || (sign.text !== '!' && sign.text !== '-')) return this.#member()
    let count = 0
    while (this.#peek().type === 'symbol' && this.#peek().text === sign.text) {
      // A minus right before a number belongs to the literal, so that the smallest integer can be written.
      const after = this.#tokens[this.#at + 1]
      if (sign.text === '-' && (after?.type === 'int' || after?.type === 'double')) break
      this.#next()
      count++
    }
    const operand = this.#member()
    if (count % 2 === 0) return operand
    return this.call(sign.text === '!' ? '!_' : '-_', [operand], sign.at)
  }

  #member(): Expr {
    let expr = this.#primary()
    for (let depth = 0; ; depth++) {
      if (depth > MAX_NESTING) this.#fail(this.#peek().at, 'max recursion depth exceeded')
      const dot = this.#take('.')
      if (dot !== undefined) {
        expr = this.#selection(expr, dot)
        continue
      }
      const bracket = this.#take('[')
      if (bracket === undefined) return expr
      const optional = this.#take('?') !== undefined
      const index = this.#expression()
      this.#expect(']')
      expr = this.call(optional ? '_[?_]' : '_[_]', [expr, index], bracket.at)
    }
  }

  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#take('?') !== undefined
    const name = this.#fieldName()
    if (optional) return this.call('_?._', [operand, this.literal(name.text, name.at)], dot.at)
    const open = name.quoted ? undefined : this.#take('(')
    if (open === undefined) {
      return { type: 'select', operand, field: name.text, test: false, id: this.id(), at: dot.at }
    }
    return this.#memberCall(operand, name.text, this.#args(), open)
  }

  #fieldName(): { text: string; at: Offset; quoted: boolean } {
    const token = this.#next()
    if (token.type === 'ident' && !['true', 'false', 'null', 'in'].includes(token.text)) {
      return { text: token.text, at: token.at, quoted: false }
    }
    if (token.type === 'quotedIdent') this.#fail(token.at, "unsupported syntax: '`'")
    if (token.type === 'ident')
      this.#fail(token.at, `Syntax error: mismatched input '${token.text}' expecting IDENTIFIER`)
    const shown = token.type === 'end' ? '' : token.text
    return this.#fail(token.at, `Syntax error: no viable alternative at input '.${shown}'`)
  }

  #memberCall(target: Expr, name: string, args: readonly Expr[], open: Token): Expr {
    const expanded = this.#macro(name, target, args, open.at)
    return expanded ?? { type: 'call', name, target, args, id: this.id(), at: open.at }
  }

  #globalCall(name: string, args: readonly Expr[], open: Token): Expr {
    return this.#macro(name, undefined, args, open.at) ?? this.call(name, args, open.at)
  }

  #macro(name: string, target: Expr | undefined, args: readonly Expr[], at: Offset): Expr | undefined {
    try {
      return expandMacro(this.#macros, this, name, target, args, at)
    } catch (error) {
      if (!(error instanceof MacroError)) throw error
      this.#issues.report(error.at, error.message)
      return this.ident(ACCUMULATOR, at)
    }
  }

  #args(): Expr[] {
    const args: Expr[] = []
    if (this.#take(')') !== undefined) return args
    do args.push(this.#expression())
    while (this.#take(',') !== undefined)
    this.#expect(')')
    return args
  }

  #primary(): Expr {
    const token = this.#next()
    switch (token.type) {
      case 'ident':
        return this.#named(token, '')
      case 'symbol':
        return this.#bracketed(token)
      case 'end':
        return this.#unexpected(token)
      default:
        return this.#constant(token, '')
    }
  }

  #bracketed(token: Token): Expr {
    switch (token.text) {
      case '(': {
        const expr = this.#expression()
        this.#expect(')')
        return expr
      }
      case '[':
        return this.#list(token)
      case '{':
        return this.#map(token)
      case '.':
        return this.#peek().type === 'ident' ? this.#named(this.#next(), '.') : this.#unexpected(this.#peek())
      case '-': {
        const number = this.#next()
        return number.type === 'int' || number.type === 'double'
          ? this.#constant(number, '-')
          : this.#unexpected(number)
      }
      default:
        return this.#unexpected(token)
    }
  }

  #named(token: Token, dot: string): Expr {
    const { text, at } = token
    if (text === 'true' || text === 'false') return this.literal(text === 'true', at)
    if (text === 'null') return this.literal(null, at)
    if (text === 'in') return this.#unexpected(token)
    const struct = this.#structName(dot + text)
    if (struct !== undefined) return this.#struct(struct)
    if (reserved.has(text)) this.#issues.report(at, `reserved identifier: ${text}`)
    const open = this.#take('(')
    return open === undefined ? this.ident(dot + text, at) : this.#globalCall(dot + text, this.#args(), open)
  }

  /** `a.b.C` before a brace is the name of a type. */
  #structName(first: string): string | undefined {
    let name = first
    let ahead = this.#at
    while (this.#isSymbol(ahead, '.') && this.#tokens[ahead + 1]?.type === 'ident') {
      name += `.${this.#tokens[ahead + 1]?.text}`
      ahead += 2
    }
    if (!this.#isSymbol(ahead, '{')) return undefined
    this.#at = ahead
    return name
  }

  #struct(name: string): Expr {
    const open = this.#next()
    for (let first = true; this.#take('}') === undefined; first = false) {
      if (!first) this.#expect(',', '}')
      if (this.#take('}') !== undefined) break
      this.#take('?')
      this.#fieldName()
      this.#expect(':')
      this.#expression()
    }
    return { type: 'struct', name, id: this.id(), at: open.at }
  }

  #list(open: Token): Expr {
    const items: Expr[] = []
    const optional = new Set<number>()
    this.#loneComma(']')
    while (this.#take(']') === undefined) {
      if (items.length > 0) this.#expect(',', ']')
      if (items.length > 0 && this.#take(']') !== undefined) break
      if (this.#take('?') !== undefined) optional.add(items.length)
      items.push(this.#expression())
    }
    return { type: 'list', items, optional, id: this.id(), at: open.at }
  }

  /** The grammar allows a single comma in an empty literal. */
  #loneComma(closing: string): void {
    if (this.#isSymbol(this.#at, ',') && this.#isSymbol(this.#at + 1, closing)) this.#next()
  }

  #map(open: Token): Expr {
    const entries: { key: Expr; value: Expr; optional: boolean }[] = []
    this.#loneComma('}')
    while (this.#take('}') === undefined) {
      if (entries.length > 0) this.#expect(',', '}')
      if (entries.length > 0 && this.#take('}') !== undefined) break
      const optional = this.#take('?') !== undefined
      const key = this.#expression()
      this.#expect(':')
      entries.push({ key, value: this.#expression(), optional })
    }
    return { type: 'map', entries, id: this.id(), at: open.at }
  }

  #constant(token: Token, sign: '' | '-'): Expr {
    const value = constantValue(token, sign)
    if (typeof value === 'object' && value !== null && 'problem' in value) {
      this.#issues.report(token.at - sign.length, value.problem)
      return this.literal(null, token.at)
    }
    return this.literal(value, token.at - sign.length)
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token
  }

  #next(): Token {
    const token = this.#peek()
    if (token.type !== 'end') this.#at++
    return token
  }

  #isSymbol(index: number, text: string): boolean {
    const token = this.#tokens[index]
    return token?.type === 'symbol' && token.text === text
  }

  #take(text: string): Token | undefined {
    return this.#isSymbol(this.#at, text) ? this.#next() : undefined
  }

  /** `closing` is an alternative: the end of a list after one of its items. */
  #expect(text: string, closing?: string): Token {
    const token = this.#take(text)
    if (token !== undefined) return token
    const found = this.#peek()
    if (closing === undefined && found.type === 'end' && text !== ':') {
      return this.#fail(found.at, `Syntax error: missing '${text}' at '<EOF>'`)
    }
    const expected = closing === undefined ? `'${text}'` : `{'${closing}', '${text}'}`
    // One token too many is "extraneous"; anything else is a mismatch.
    const fitsNext =
      this.#isSymbol(this.#at + 1, text) || (closing !== undefined && this.#isSymbol(this.#at + 1, closing))
    const problem = fitsNext ? 'extraneous' : 'mismatched'
    return this.#fail(found.at, `Syntax error: ${problem} input '${found.text}' expecting ${expected}`)
  }

  #unexpected(token: Token): never {
    return this.#fail(token.at, `Syntax error: mismatched input '${token.text}' expecting ${EXPRESSION_START}`)
  }

  #fail(at: Offset, message: string): never {
    this.#issues.report(at, message)
    throw new Unreadable()
  }
}

function constantValue({ type, text }: Token, sign: '' | '-'): CelValue | { readonly problem: string } {
  switch (type) {
    case 'int': {
      const size = BigInt(text)
      const value = sign === '-' ? -size : size
      return BigInt.asIntN(64, value) === value ? intOf(value) : { problem: 'invalid int literal' }
    }
    case 'uint': {
      const value = BigInt(text.slice(0, -1))
      return BigInt.asUintN(64, value) === value ? new CelUint(value) : { problem: 'invalid uint literal' }
    }
    case 'double': {
      const value = Number(sign + text)
      return Number.isFinite(value) ? new CelDouble(value) : { problem: 'invalid double literal' }
    }
    case 'bytes':
      return unescapeBytes(text) ?? { problem: 'unable to unescape string' }
    default:
      return unescapeString(text) ?? { problem: 'unable to unescape string' }
  }
}
