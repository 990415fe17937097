import type { ArithmeticOperator, ComparisonOperator, Condition, LiteralOperand, Operand } from './expression.js'
import { isOperand } from './expression.js'
import { literalOf } from './literals.js'
import { SearchError } from './search-error.js'
import { type Dialect, type Token, tokensOf } from './tokens.js'

/** Maestro's limit of AND, OR and NOT in a search of JSON documents. */
const MAX_JOINS = 10
/** Parentheses, NOTs and arithmetic in each other. */
const MAX_DEPTH = 100

const COMPARISONS: Readonly<Record<string, ComparisonOperator>> = {
  '=': '=',
  '!=': '<>',
  '<>': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}
const KEYWORDS = new Set(['and', 'or', 'not', 'like', 'ilike', 'is', 'null', 'between', 'in'])

type Node = Condition | Operand

/** Parses a search. Throws a `SearchError` that names the position and the problem. */
export function parseSearch(search: string, dialect: Dialect): Condition {
  return new Parser(tokensOf(search, dialect), dialect).parse()
}

/** By precedence, lowest first: OR, AND, NOT, comparison, `+ -`, `* / %`. */
class Parser {
  readonly #tokens: readonly Token[]
  readonly #dialect: Dialect
  #position = 0
  #joins = 0
  #depth = 0

  constructor(tokens: readonly Token[], dialect: Dialect) {
    this.#tokens = tokens
    this.#dialect = dialect
  }

  parse(): Condition {
    const at = this.#next.at
    const node = this.#or()
    if (this.#next.kind !== 'end') throw this.#unexpected()
    return this.#condition(node, at)
  }

  get #next(): Token {
    return this.#tokens[this.#position] as Token
  }

  #take(): Token {
    const token = this.#next
    if (token.kind === 'end') throw this.#unexpected()
    this.#position++
    return token
  }

  #unexpected(): SearchError {
    const { kind, written, at } = this.#next
    return new SearchError(at, kind === 'end' ? 'unexpected end of the search' : `unexpected token \`${written}\``)
  }

  /** Whether the next token is this word or symbol. Takes it if so. */
  #takes(text: string): boolean {
    const { kind, text: found } = this.#next
    if ((kind !== 'word' && kind !== 'symbol') || found !== text) return false
    this.#position++
    return true
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#unexpected()
  }

  #join(): void {
    this.#joins++
    if (this.#dialect === 'json' && this.#joins > MAX_JOINS) {
      throw new SearchError(this.#next.at, `maximum number of permitted joins (${MAX_JOINS}) exceeded`)
    }
  }

  /** Deeper nesting is refused, so that no search can exhaust the stack. */
  #nested<T>(parse: () => T): T {
    this.#depth++
    if (this.#depth > MAX_DEPTH) throw new SearchError(this.#next.at, `more than ${MAX_DEPTH} levels of nesting`)
    const result = parse()
    this.#depth--
    return result
  }

  #condition(node: Node, at: number): Condition {
    if (isOperand(node)) throw new SearchError(at, "expected a condition, such as name = 'value'")
    return node
  }

  #operand(node: Node, at: number): Operand {
    if (!isOperand(node)) throw new SearchError(at, 'expected a column or a value, not a condition')
    return node
  }

  #or(): Node {
    return this.#joined('or', () => this.#joined('and', () => this.#not()))
  }

  #joined(type: 'and' | 'or', parse: () => Node): Node {
    const at = this.#next.at
    const first = parse()
    if (this.#next.kind !== 'word' || this.#next.text !== type) return first
    const parts = [this.#condition(first, at)]
    while (this.#takes(type)) {
      this.#join()
      const from = this.#next.at
      parts.push(this.#condition(parse(), from))
    }
    return { type, parts }
  }

  #not(): Node {
    if (!this.#takes('not')) return this.#comparison()
    this.#join()
    const at = this.#next.at
    return {
      type: 'not',
      part: this.#condition(
        this.#nested(() => this.#not()),
        at,
      ),
    }
  }

  #comparison(): Node {
    const at = this.#next.at
    const node = this.#sum()
    const { kind, text } = this.#next
    if (kind === 'symbol' && text in COMPARISONS) return this.#compare(this.#operand(node, at), at)
    if (this.#takes('@>')) return { type: 'contains', at, left: this.#operand(node, at), right: this.#literal() }
    if (kind !== 'word') return node
    if (this.#takes('is')) return this.#is(this.#operand(node, at), at)
    const negated = text === 'not'
    if (negated) {
      // NOT before IN is no join of two conditions, but Maestro counts it.
      this.#join()
      this.#position++
    }
    const word = this.#next.text
    if (this.#takes('like') || this.#takes('ilike')) {
      const ignoresCase = word === 'ilike'
      return { type: 'like', at, left: this.#operand(node, at), pattern: this.#literal(), ignoresCase, negated }
    }
    if (this.#takes('between')) {
      const low = this.#literal()
      this.#expect('and')
      return { type: 'between', at, left: this.#operand(node, at), low, high: this.#literal(), negated }
    }
    if (this.#takes('in')) return { type: 'in', at, left: this.#operand(node, at), values: this.#list(), negated }
    if (negated) throw this.#unexpected()
    return node
  }

  #compare(left: Operand, at: number): Condition {
    const operator = COMPARISONS[this.#take().text] as ComparisonOperator
    // Maestro's client asks for labels that exist with `<>null`.
    if (this.#next.text === 'null' && this.#next.kind === 'word' && (operator === '=' || operator === '<>')) {
      this.#position++
      return { type: 'null', at, left, negated: operator === '<>' }
    }
    const from = this.#next.at
    const right = this.#dialect === 'json' ? this.#literal() : this.#operand(this.#sum(), from)
    return { type: 'compare', at, operator, left, right }
  }

  #is(left: Operand, at: number): Condition {
    const negated = this.#takes('not')
    if (this.#takes('null')) return { type: 'null', at, left, negated }
    return { type: 'same', at, left, right: this.#literal(), negated }
  }

  #list(): LiteralOperand[] {
    this.#expect('(')
    const values = [this.#literal()]
    while (this.#takes(',')) values.push(this.#literal())
    this.#expect(')')
    return values
  }

  #literal(): LiteralOperand {
    const { at } = this.#next
    const sign = this.#takes('-') ? -1 : 1
    if (sign === 1) this.#takes('+')
    const token = this.#take()
    const isBareWord = this.#dialect === 'json' && token.kind === 'word' && !KEYWORDS.has(token.text)
    const value = isBareWord ? token.written : literalOf(token)
    if (value === undefined || (typeof value === 'string' && token.at !== at)) {
      this.#position--
      throw this.#unexpected()
    }
    return { type: 'literal', at, value: typeof value === 'number' ? sign * value : value }
  }

  #sum(): Node {
    return this.#arithmetic(['+', '-'], () => this.#arithmetic(['*', '/', '%'], () => this.#primary()))
  }

  #arithmetic(operators: readonly ArithmeticOperator[], parse: () => Node): Node {
    const at = this.#next.at
    let node = parse()
    for (let length = 0; ; length++) {
      const operator = operators.find((one) => this.#takes(one))
      if (operator === undefined) return node
      if (length === MAX_DEPTH) throw new SearchError(at, `more than ${MAX_DEPTH} arithmetic operators`)
      const from = this.#next.at
      const left = this.#operand(node, at)
      node = { type: 'arithmetic', at, operator, left, right: this.#operand(parse(), from) }
    }
  }

  #primary(): Node {
    const token = this.#next
    if (this.#takes('(')) {
      const node = this.#nested(() => this.#or())
      this.#expect(')')
      return node
    }
    if (token.kind === 'identifier' || (token.kind === 'word' && !KEYWORDS.has(token.text))) return this.#column()
    return this.#literal()
  }

  #column(): Operand {
    const { text: name, at } = this.#take()
    const path: string[] = []
    let isText = false
    while (!isText) {
      isText = this.#takes('->>')
      if (!isText && !this.#takes('->')) break
      if (this.#next.kind !== 'string') throw this.#unexpected()
      path.push(this.#take().text)
    }
    return { type: 'column', at, name, path, isText }
  }
}
