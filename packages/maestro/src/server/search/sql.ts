import { checkNesting } from '../core/json-parts.js'
import { type Column, type Columns, findColumn, type JsonPlace, unknownColumn } from './columns.js'
import type { ArithmeticOperand, ColumnOperand, Condition, LiteralOperand, Operand } from './expression.js'
import { SearchError } from './search-error.js'

/** A condition in SQL. All values of users are parameters, in the order of `$1`, `$2` and so on. */
export interface SqlCondition {
  readonly text: string
  readonly values: readonly string[]
}

/** What an operand is in SQL: PostgreSQL needs the type of every parameter. */
type SqlType = 'text' | 'integer' | 'time' | 'json'

const CASTS: Readonly<Record<SqlType, string>> = {
  text: 'text',
  // Wide enough for every number that a search can have.
  integer: 'numeric',
  time: 'timestamptz',
  json: 'jsonb',
}

/** PostgreSQL takes 65,535 parameters in a statement: with more, the numbers of the protocol wrap. The list has some of its own. */
const MAX_VALUES = 30_000
/** Each is evaluated for each row. */
const MAX_CONDITIONS = 500
/** Each parses the JSON documents of each row. */
const MAX_DOCUMENTS = 20

/** Writes a condition as SQL over the columns. Throws a `SearchError` for unknown columns and values of a wrong type. */
export function sqlOf(condition: Condition, columns: Columns): SqlCondition {
  const writer = new SqlWriter(columns)
  const text = writer.condition(condition)
  return { text, values: writer.values }
}

class SqlWriter {
  readonly values: string[] = []
  readonly #columns: Columns
  #conditions = 0
  #documents = 0

  constructor(columns: Columns) {
    this.#columns = columns
  }

  condition(condition: Condition): string {
    if ('at' in condition && ++this.#conditions > MAX_CONDITIONS) {
      throw new SearchError(condition.at, `more than ${MAX_CONDITIONS} conditions`)
    }
    switch (condition.type) {
      case 'and':
      case 'or':
        return `(${condition.parts.map((part) => this.condition(part)).join(condition.type === 'and' ? ' AND ' : ' OR ')})`
      case 'not':
        return `(NOT ${this.condition(condition.part)})`
      case 'null':
        return `(${this.#nullable(condition.left)} IS ${condition.negated ? 'NOT ' : ''}NULL)`
      case 'compare':
        return this.#comparison(condition.left, condition.operator, condition.right)
      case 'same': {
        const operator = condition.negated ? 'IS DISTINCT FROM' : 'IS NOT DISTINCT FROM'
        return this.#comparison(condition.left, operator, condition.right)
      }
      case 'like': {
        const [left, type] = this.#operand(condition.left)
        if (type !== 'text') throw new SearchError(condition.at, 'LIKE needs a text')
        const operator = `${condition.negated ? 'NOT ' : ''}${condition.ignoresCase ? 'ILIKE' : 'LIKE'}`
        return `(${left} ${operator} ${this.#value(condition.pattern, 'text')})`
      }
      case 'between': {
        const [left, type] = this.#scalar(condition.left)
        const [low, high] = [this.#value(condition.low, type), this.#value(condition.high, type)]
        return `(${left} ${condition.negated ? 'NOT ' : ''}BETWEEN ${low} AND ${high})`
      }
      case 'in': {
        const [left, type] = this.#scalar(condition.left)
        const values = condition.values.map((one) => this.#value(one, type))
        return `(${left} ${condition.negated ? 'NOT ' : ''}IN (${values.join(', ')}))`
      }
      case 'contains': {
        const [left, type] = this.#operand(condition.left)
        if (type !== 'json') throw new SearchError(condition.at, "@> needs a JSON value, such as payload->'metadata'")
        return `(${left} @> ${this.#value(condition.right, 'json')})`
      }
    }
  }

  #comparison(left: Operand, operator: string, right: Operand): string {
    if (left.type === 'literal') {
      const [other, type] = this.#scalar(right)
      return `(${this.#value(left, type)} ${operator} ${other})`
    }
    const [one, type] = this.#scalar(left)
    if (right.type === 'literal') return `(${one} ${operator} ${this.#value(right, type)})`
    const [other, otherType] = this.#scalar(right)
    if (type !== otherType) throw new SearchError(right.at, `cannot compare a ${type} with a ${otherType}`)
    return `(${one} ${operator} ${other})`
  }

  /** JSON values too can be null. */
  #nullable(operand: Operand): string {
    return this.#operand(operand)[0]
  }

  #scalar(operand: Operand): readonly [sql: string, type: SqlType] {
    const [sql, type] = this.#operand(operand)
    if (type === 'json') {
      throw new SearchError(
        operand.at,
        "a JSON value can only be compared with @>: end its path with ->>'key' for a text",
      )
    }
    return [sql, type]
  }

  #operand(operand: Operand): readonly [sql: string, type: SqlType] {
    switch (operand.type) {
      case 'literal': {
        const type = typeof operand.value === 'number' ? 'integer' : 'text'
        return [this.#value(operand, type), type]
      }
      case 'arithmetic':
        return [this.#arithmetic(operand), 'integer']
      case 'column':
        return this.#column(operand)
    }
  }

  #arithmetic({ left, operator, right }: ArithmeticOperand): string {
    const sides = [left, right].map((side) => {
      if (side.type === 'literal') return this.#value(side, 'integer')
      const [sql, type] = this.#operand(side)
      if (type !== 'integer') throw new SearchError(side.at, 'arithmetic needs numbers')
      return sql
    })
    return `(${sides.join(` ${operator} `)})`
  }

  #column(operand: ColumnOperand): readonly [sql: string, type: SqlType] {
    const column: Column | undefined = findColumn(this.#columns, operand.name)
    if (column === undefined) throw new SearchError(operand.at, unknownColumn(this.#columns, operand.name))
    if (column.type === 'json' && ++this.#documents > MAX_DOCUMENTS) {
      throw new SearchError(operand.at, `more than ${MAX_DOCUMENTS} conditions on JSON documents`)
    }
    if (column.type === 'json') return [this.#path(operand, column.place), operand.isText ? 'text' : 'json']
    if (operand.path.length > 0) throw new SearchError(operand.at, `column '${operand.name}' is not JSON`)
    return [column.sql, column.type]
  }

  #path({ path, isText, at }: ColumnOperand, root: JsonPlace): string {
    let place = root
    let depth = 0
    for (; depth < path.length; depth++) {
      const { below } = place
      const key = path[depth] as string
      if (below === undefined || !Object.hasOwn(below, key)) break
      place = below[key] as JsonPlace
    }
    const keys = path.slice(depth)
    if (keys.length === 0) return isText ? `(${place.sql} #>> '{}')` : place.sql
    const steps = keys.map((key, index) => {
      const operator = isText && index === keys.length - 1 ? '->>' : '->'
      return ` ${operator} ${this.#parameter(key, at)}::text`
    })
    return `(${place.sql}${steps.join('')})`
  }

  #value({ value, at }: LiteralOperand, type: SqlType): string {
    if (typeof value === 'string' && value.includes('\0')) throw new SearchError(at, 'a text has no NUL characters')
    const written = String(value)
    const fail = (expected: string) => new SearchError(at, `${JSON.stringify(value)} is not ${expected}`)
    if (type === 'integer' && !(written.trim() !== '' && Number.isFinite(Number(written)))) throw fail('a number')
    if (type === 'time' && Number.isNaN(Date.parse(written))) throw fail('a time, such as 2026-01-31T12:00:00Z')
    if (type === 'json' && !isJson(written)) throw fail('valid JSON')
    const sent = type === 'integer' ? String(Number(written)) : type === 'time' ? isoTime(written) : written
    return `${this.#parameter(sent, at)}::${CASTS[type]}`
  }

  #parameter(value: string, at: number): string {
    if (this.values.length === MAX_VALUES) throw new SearchError(at, `more than ${MAX_VALUES} values`)
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/** Keeps microseconds, which a `Date` does not have. */
function isoTime(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/.test(text) ? text : new Date(text).toISOString()
}

function isJson(text: string): boolean {
  try {
    checkNesting(Buffer.from(text))
    JSON.parse(text)
    // A JSON text can have NUL characters that PostgreSQL cannot store.
    return !text.includes('\\u0000')
  } catch {
    return false
  }
}
