import type { JsonValue } from '@orrery/kinds'
import { JqSyntaxError, jqTokens, type Token } from './jq-tokens.js'

/** A path expression: each step leads from a value to values below it. */
export type JqPath =
  | { readonly type: 'identity' }
  | { readonly type: 'descend' }
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'iterate' }
  | { readonly type: 'optional'; readonly path: JqPath }
  | { readonly type: 'pipe'; readonly first: JqPath; readonly rest: JqPath }
  | { readonly type: 'several'; readonly paths: readonly JqPath[] }
  | { readonly type: 'select'; readonly test: JqTest }

/** The condition of a `select`. */
export type JqTest =
  | { readonly type: 'compare'; readonly path: JqPath; readonly operator: Operator; readonly value: JsonValue }
  | { readonly type: 'truthy'; readonly path: JqPath }
  | { readonly type: 'text'; readonly path: JqPath; readonly call: 'startswith' | 'endswith'; readonly value: string }
  | { readonly type: 'has'; readonly path: JqPath; readonly key: string }
  | { readonly type: 'and' | 'or'; readonly left: JqTest; readonly right: JqTest }
  | { readonly type: 'not'; readonly test: JqTest }

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>='

const OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])
const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const MAX_NESTING = 50
/** The supported syntax, for error messages. */
const SUPPORTED =
  'only path expressions are supported: .a, ."a", .["a"], .[0], .[], ?, .., |, commas, parentheses, and select() with ' +
  '==, !=, <, <=, >, >=, and, or, not, has("a"), startswith("a") and endswith("a")'

/** Reads a path expression of jq. Throws `JqSyntaxError`. */
export function parseJq(expression: string): JqPath {
  const parser = new Parser(jqTokens(expression))
  const path = parser.pipe()
  parser.expectEnd()
  return path
}

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #nesting = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  expectEnd(): void {
    if (this.#peek().type !== 'end') throw this.#unexpected()
  }

  pipe(): JqPath {
    const first = this.#comma()
    return this.#takes('|') ? { type: 'pipe', first, rest: this.pipe() } : first
  }

  #comma(): JqPath {
    const paths = [this.#postfix()]
    while (this.#takes(',')) paths.push(this.#postfix())
    return paths.length === 1 ? (paths[0] as JqPath) : { type: 'several', paths }
  }

  #postfix(): JqPath {
    let path = this.#term()
    for (;;) {
      const token = this.#peek()
      if (this.#takes('?')) path = { type: 'optional', path }
      else if (token.type === 'field') path = this.#then(path, this.#field())
      else if (token.text === '[' && token.type === 'symbol') path = this.#then(path, this.#bracket())
      else if (token.text === '.' && token.type === 'symbol') path = this.#then(path, this.#dotted())
      else return path
    }
  }

  #then(first: JqPath, rest: JqPath): JqPath {
    return first.type === 'identity' ? rest : { type: 'pipe', first, rest }
  }

  #term(): JqPath {
    const token = this.#peek()
    if (token.type === 'field') return this.#field()
    if (this.#takes('..')) return { type: 'descend' }
    if (token.type === 'symbol' && token.text === '.') {
      const after = this.#tokens[this.#next + 1]
      if (after?.type === 'string' || (after?.type === 'symbol' && after.text === '[')) return this.#dotted()
      this.#next++
      return { type: 'identity' }
    }
    if (this.#takes('(')) return this.#nested(() => this.pipe())
    if (token.type === 'word' && token.text === 'select') {
      this.#next++
      this.#expect('(')
      return { type: 'select', test: this.#nested(() => this.#or()) }
    }
    throw this.#unexpected()
  }

  #field(): JqPath {
    return { type: 'field', name: this.#take().text }
  }

  /** `."a"` and `.[…]`. */
  #dotted(): JqPath {
    this.#expect('.')
    if (this.#peek().type === 'string') return this.#field()
    return this.#bracket()
  }

  #bracket(): JqPath {
    this.#expect('[')
    if (this.#takes(']')) return { type: 'iterate' }
    const token = this.#take()
    this.#expect(']')
    if (token.type === 'string') return { type: 'field', name: token.text }
    const index = Number(token.text)
    if (token.type !== 'number' || !Number.isSafeInteger(index)) throw this.#unexpected(token)
    return { type: 'index', index }
  }

  #or(): JqTest {
    const left = this.#and()
    return this.#takesWord('or') ? { type: 'or', left, right: this.#or() } : left
  }

  #and(): JqTest {
    const left = this.#comparison()
    return this.#takesWord('and') ? { type: 'and', left, right: this.#and() } : left
  }

  #comparison(): JqTest {
    const negated = (test: JqTest): JqTest => {
      const [bar, word] = [this.#peek(), this.#tokens[this.#next + 1]]
      if (bar.text !== '|' || word?.type !== 'word' || word.text !== 'not') return test
      this.#next += 2
      return negated({ type: 'not', test })
    }
    if (this.#opensTest()) {
      this.#expect('(')
      return negated(this.#nested(() => this.#or()))
    }
    return negated(this.#question())
  }

  /** Whether the parenthesis contains a condition, such as `(.a == 1 or .b)`, or begins a path, as in `(.a).b`. */
  #opensTest(): boolean {
    if (this.#peek().text !== '(' || this.#peek().type !== 'symbol') return false
    let depth = 0
    for (const [offset, token] of this.#tokens.slice(this.#next).entries()) {
      if (token.type !== 'symbol') continue
      if (token.text === '(') depth++
      if (token.text !== ')') continue
      depth--
      if (depth > 0) continue
      const after = this.#tokens[this.#next + offset + 1]
      return (
        after?.type !== 'field' && !['.', '[', '?'].includes(after?.text ?? '') && !OPERATORS.has(after?.text ?? '')
      )
    }
    return false
  }

  #question(): JqTest {
    if (this.#peek().type === 'word') return this.#call({ type: 'identity' })
    let path = this.#postfix()
    while (this.#peek().text === '|' && this.#tokens[this.#next + 1]?.text !== 'not') {
      this.#next++
      if (this.#peek().type === 'word' && this.#peek().text !== 'select') return this.#call(path)
      path = { type: 'pipe', first: path, rest: this.#postfix() }
    }
    const operator = this.#peek()
    if (operator.type !== 'symbol' || !OPERATORS.has(operator.text)) return { type: 'truthy', path }
    this.#next++
    return { type: 'compare', path, operator: operator.text as Operator, value: this.#literal() }
  }

  #call(path: JqPath): JqTest {
    const name = this.#take()
    const { text } = name
    if (text !== 'has' && text !== 'startswith' && text !== 'endswith') throw this.#unexpected(name)
    this.#expect('(')
    const argument = this.#take()
    if (argument.type !== 'string') throw this.#unexpected(argument)
    this.#expect(')')
    if (text === 'has') return { type: 'has', path, key: argument.text }
    return { type: 'text', path, call: text, value: argument.text }
  }

  #literal(): JsonValue {
    const token = this.#take()
    if (token.type === 'string') return token.text
    if (token.type === 'number') return Number(token.text)
    const value = token.type === 'word' ? LITERALS.get(token.text) : undefined
    if (value === undefined) throw this.#unexpected(token)
    return value
  }

  #nested<T>(read: () => T): T {
    if (++this.#nesting > MAX_NESTING) throw new JqSyntaxError(`parentheses are nested more than ${MAX_NESTING} deep`)
    const result = read()
    this.#expect(')')
    this.#nesting--
    return result
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token
  }

  #take(): Token {
    const token = this.#peek()
    if (token.type !== 'end') this.#next++
    return token
  }

  #takes(symbol: string): boolean {
    const token = this.#peek()
    if (token.type !== 'symbol' || token.text !== symbol) return false
    this.#next++
    return true
  }

  #takesWord(word: string): boolean {
    const token = this.#peek()
    if (token.type !== 'word' || token.text !== word) return false
    this.#next++
    return true
  }

  #expect(symbol: string): void {
    if (!this.#takes(symbol)) throw this.#unexpected()
  }

  #unexpected(token: Token = this.#peek()): JqSyntaxError {
    const what =
      token.type === 'end' ? 'unexpected end' : `unexpected ${JSON.stringify(token.text)} at position ${token.at + 1}`
    return new JqSyntaxError(`${what}; ${SUPPORTED}`)
  }
}
