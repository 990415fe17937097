import { formatGoJson, formatGoValue, goTypeName } from './gotext.js'
import { type Part, type Path, parseTemplate, type Slice, type Step } from './jsonpath-parser.js'
import { ParseError } from './parse-error.js'

export interface JsonPathOptions {
  /** A missing field has no result instead of an error. Default false. */
  readonly allowMissingKeys?: boolean
}

/** A compiled template. The methods throw `JsonPathError` if the data does not fit it. */
export interface JsonPath {
  /** The values of each action and text, in order. Several evaluations can share a limit of visits. */
  results(data: unknown, visits?: JsonPathVisits): unknown[][]
  /** The first value, if any: the value of a column in a Table. */
  first(data: unknown, visits?: JsonPathVisits): unknown
  /** The formatted template, as `kubectl -o jsonpath` prints it. */
  text(data: unknown): string
}

/** The data does not fit the path. */
export class JsonPathError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonPathError'
  }
}

/** How many values several evaluations may visit together. Users write the paths and the objects. */
export class JsonPathVisits {
  readonly #most: number
  #left: number

  constructor(most: number) {
    this.#most = most
    this.#left = most
  }

  /** Throws `JsonPathError` if none are left. */
  take(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new JsonPathError(`the paths visit more than ${this.#most} values together`)
  }
}

/** Compiles a template such as `{range .items[*]}{.metadata.name}{"\n"}{end}`. Throws `ParseError`. */
export function compileJsonPath(template: string, { allowMissingKeys = false }: JsonPathOptions = {}): JsonPath {
  return new Template(parseTemplate(template), allowMissingKeys)
}

const relaxed = /^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$/

/** Compiles a bare path, `.spec.x` or `{.spec.x}` or `spec.x`, as in custom columns and sort keys. */
export function compileRelaxedJsonPath(path: string, options: JsonPathOptions = {}): JsonPath {
  const match = relaxed.exec(path)
  if (match === null) {
    throw new ParseError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    )
  }
  return compileJsonPath(`{.${match[1] ?? match[2]}}`, options)
}

class Template implements JsonPath {
  readonly #parts: readonly Part[]
  readonly #walker: Walker
  /** The names of a template that is one plain path of fields, as most are. */
  readonly #names: readonly string[] | undefined

  constructor(parts: readonly Part[], allowMissingKeys: boolean) {
    this.#parts = parts
    this.#walker = new Walker(allowMissingKeys)
    this.#names = allowMissingKeys ? plainFields(parts) : undefined
  }

  results(data: unknown, visits?: JsonPathVisits): unknown[][] {
    this.#walker.begin(visits)
    const results: unknown[][] = []
    this.#collect(this.#parts, data, results)
    return results
  }

  first(data: unknown, visits?: JsonPathVisits): unknown {
    if (this.#names === undefined) return this.results(data, visits).find((values) => values.length > 0)?.[0]
    let value = data
    for (const name of this.#names) {
      if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
      value = value[name]
    }
    return value
  }

  text(data: unknown): string {
    return this.results(data)
      .map((values) => values.map(formatValue).join(' '))
      .join('')
  }

  #collect(parts: readonly Part[], data: unknown, results: unknown[][]): void {
    for (const part of parts) {
      if (part.type === 'text') results.push([part.text])
      else if (part.type === 'path') results.push(this.#walker.walk([data], part.path))
      else for (const value of this.#walker.walk([data], part.path)) this.#collect(part.body, value, results)
    }
  }
}

function plainFields(parts: readonly Part[]): readonly string[] | undefined {
  const [only] = parts
  if (parts.length !== 1 || only?.type !== 'path') return undefined
  const names: string[] = []
  for (const step of only.path) {
    if (step.type !== 'field') return undefined
    names.push(step.name)
  }
  return names
}

/** How many values one evaluation may visit. A few `..` in a row would visit as many as there are paths. */
const MAX_VISITED = 50_000

/** Evaluates steps on lists of values. */
class Walker {
  readonly #allowMissingKeys: boolean
  #visited = 0
  #shared: JsonPathVisits | undefined

  constructor(allowMissingKeys: boolean) {
    this.#allowMissingKeys = allowMissingKeys
  }

  /** Call before each evaluation. */
  begin(shared: JsonPathVisits | undefined): void {
    this.#visited = 0
    this.#shared = shared
  }

  walk(values: unknown[], path: Path): unknown[] {
    let current = values
    for (const step of path) current = this.#step(current, step)
    return current
  }

  #step(values: unknown[], step: Step): unknown[] {
    switch (step.type) {
      case 'field':
        return this.#field(values, step.name)
      case 'wildcard':
        return values.flatMap((value) => this.#visit(children(value)))
      case 'descend': {
        const found: unknown[] = []
        for (const value of values) this.#descend(value, found)
        return found
      }
      case 'slice':
        return values.flatMap((value) => (value === null ? [] : this.#visit(sliced(value, step.slice))))
      case 'union':
        return step.paths.flatMap((path) => this.walk(values, path))
      case 'filter':
        return values.flatMap((value) => this.#filter(value, step.left, step.operator, step.right))
      case 'literal':
        return values.length === 0 && typeof step.value !== 'string' ? [] : [step.value]
    }
  }

  #visit(values: unknown[]): unknown[] {
    this.#visited += values.length
    this.#shared?.take(values.length)
    if (this.#visited > MAX_VISITED) throw new JsonPathError(`the path visits more than ${MAX_VISITED} values`)
    return values
  }

  /** The value and everything below it, parents first; scalars other than strings are leaves that do not count. */
  #descend(value: unknown, found: unknown[]): void {
    if (typeof value === 'string') {
      if (value !== '') found.push(value)
      return
    }
    const below = this.#visit(children(value))
    if (below.length === 0) return
    found.push(value)
    for (const child of below) this.#descend(child, found)
  }

  #field(values: unknown[], name: string): unknown[] {
    this.#visit(values)
    const found: unknown[] = []
    for (const value of values) {
      if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name])
    }
    if (found.length === 0 && values.length > 0 && !this.#allowMissingKeys) {
      throw new JsonPathError(`${name} is not found`)
    }
    return found
  }

  #filter(value: unknown, left: Path, operator: string, right: Path): unknown[] {
    if (!Array.isArray(value)) {
      throw new JsonPathError(`${formatGoValue(value)} is not array or slice and cannot be filtered`)
    }
    return this.#visit(value).filter((item) =>
      operator === 'exists' ? this.#exists(item, left) : this.#holds(item, left, operator, right),
    )
  }

  #exists(item: unknown, path: Path): boolean {
    try {
      return this.walk([item], path).length > 0
    } catch (error) {
      if (error instanceof JsonPathError) return false
      throw error
    }
  }

  #holds(item: unknown, left: Path, operator: string, right: Path): boolean {
    const lefts = this.walk([item], left)
    if (lefts.length === 0) return false
    if (lefts.length > 1) throw new JsonPathError('can only compare one element at a time')
    const rights = this.walk([item], right)
    if (rights.length === 0) return false
    if (rights.length > 1) throw new JsonPathError('can only compare one element at a time')
    return compare(lefts[0], operator, rights[0])
  }
}

function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}

function sliced(value: unknown, { from = 0, to, step = 1, single }: Slice): unknown[] {
  if (!Array.isArray(value)) throw new JsonPathError(`${goTypeName(value)} is not array or slice`)
  const { length } = value
  const start = from < 0 ? from + length : from
  let end = to ?? length
  if (end < 0 || (end === 0 && single)) end += length
  if (start === end) return []
  const outside = (index: number) => new JsonPathError(`array index out of bounds: index ${index}, length ${length}`)
  if (start >= length || start < 0) throw outside(start)
  if (end > length || end < 0) throw outside(end - 1)
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`)
  if (step <= 0) throw new JsonPathError('step must be > 0')
  const chosen = value.slice(start, end)
  return step === 1 ? chosen : chosen.filter((_, index) => index % step === 0)
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (!isScalar(left) || !isScalar(right)) throw new JsonPathError('invalid type for comparison')
  if (typeof left !== typeof right) throw new JsonPathError('incompatible types for comparison')
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (typeof left === 'boolean') throw new JsonPathError('invalid type for comparison')
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? formatGoValue(value) : formatGoJson(value)
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
