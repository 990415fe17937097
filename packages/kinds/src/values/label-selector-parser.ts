import { aggregate, keyErrors, type LabelOperator, type LabelRequirement, requirement } from './label-requirement.js'
import { ParseError } from './parse-error.js'

const binaryOperators = ['in', 'notin', '=', '==', '!=', '>', '<']
/** The order of operators in messages. */
const operatorList = 'in, notin, =, ==, !=, gt, lt'

/** Parses the requirements of one selector string; the grammar and the messages are those of `labels.Parse`. */
export class LabelSelectorParser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokenize(text)
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    while (this.#peek() !== '') {
      if (!isIdentifier(this.#peek()) && this.#peek() !== '!') {
        throw new ParseError(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`)
      }
      requirements.push(this.#requirement())
      const separator = this.#take()
      if (separator === '') break
      if (separator !== ',') throw new ParseError(`found '${separator}', expected: ',' or 'end of string'`)
      const next = this.#peek()
      if (!isIdentifier(next) && next !== '!') throw new ParseError(`found '${next}', expected: identifier after ','`)
    }
    return requirements
  }

  #requirement(): LabelRequirement {
    try {
      return this.#keyAndRest()
    } catch (error) {
      if (error instanceof ParseError) throw new ParseError(`unable to parse requirement: ${error.message}`)
      throw error
    }
  }

  #keyAndRest(): LabelRequirement {
    const absent = this.#peek() === '!'
    if (absent) this.#take()
    const key = this.#take()
    if (!isIdentifier(key)) throw new ParseError(`found '${key}', expected: identifier`)
    const errors = keyErrors(key, '')
    if (errors.length > 0) throw aggregate(errors)
    if (absent) return requirement(key, '!', [])
    if (this.#peek() === '' || this.#peek() === ',') return requirement(key, 'exists', [])
    const operator = this.#take()
    if (!binaryOperators.includes(operator)) throw new ParseError(`found '${operator}', expected: ${operatorList}`)
    if (operator === 'in' || operator === 'notin') return requirement(key, operator, this.#valueSet())
    return requirement(key, operator === '==' ? '=' : (operator as LabelOperator), [this.#exactValue()])
  }

  #exactValue(): string {
    if (this.#peek() === '' || this.#peek() === ',') return ''
    const value = this.#take()
    if (!isIdentifier(value)) throw new ParseError(`found '${value}', expected: identifier`)
    return value
  }

  /** `(a,b)`; missing values, as in `()` and `(a,)`, are empty strings. */
  #valueSet(): string[] {
    const open = this.#take()
    if (open !== '(') throw new ParseError(`found '${open}' expected: '('`)
    const values: string[] = []
    for (;;) {
      const token = this.#peek()
      if (isIdentifier(token)) values.push(this.#take())
      else if (token === ',' || token === ')') values.push('')
      else if (values.length === 0) throw new ParseError(`found '${token}', expected: ',', ')' or identifier`)
      else throw new ParseError(`found '${token}', expected: ',', or identifier`)
      const separator = this.#take()
      if (separator === ')') return values
      if (separator !== ',') throw new ParseError(`found '${separator}', expected: ',' or ')'`)
    }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #take(): string {
    const token = this.#peek()
    this.#at++
    return token
  }
}

const symbols = new Set(['', ')', ',', '!', '==', '=', '>', '<', '!=', '('])

/** `in` and `notin` are keys and values as well, where an operator is not possible. */
function isIdentifier(token: string): boolean {
  return !symbols.has(token)
}

const token = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+)/y

function tokenize(text: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) tokens.push(match[1] ?? '')
  return tokens
}
