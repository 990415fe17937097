import { badRequest } from '@orrery/kinds/values'

/** The query of a request URL. Repeated parameters keep all values. */
export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>

  private constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values
  }

  static readonly empty = new Query(new Map())

  /** Parses what follows the `?`. Throws a 400 for an invalid escape. */
  static parse(text: string): Query {
    if (text === '') return Query.empty
    const values = new Map<string, string[]>()
    for (const pair of text.split('&')) {
      if (pair === '') continue
      const equals = pair.indexOf('=')
      const key = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals))
      const value = equals < 0 ? '' : unescapeQuery(pair.slice(equals + 1))
      const list = values.get(key)
      if (list === undefined) values.set(key, [value])
      else list.push(value)
    }
    return new Query(values)
  }

  /** Returns the first value, or '' if the parameter is absent. */
  get(key: string): string {
    return this.#values.get(key)?.[0] ?? ''
  }

  all(key: string): readonly string[] {
    return this.#values.get(key) ?? []
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  /** `true`, `1`, and a bare `?watch` are true, as in Kubernetes. */
  flag(key: string): boolean {
    const value = this.#values.get(key)?.[0]
    if (value === undefined) return false
    return value !== 'false' && value !== '0' && value.toLowerCase() !== 'false'
  }

  /** Returns an integer, or undefined if absent or empty. Throws a 400. */
  integer(key: string): number | undefined {
    const value = this.get(key)
    if (value === '') return undefined
    if (!/^[+-]?\d{1,19}$/.test(value)) {
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`)
    }
    return Number(value)
  }
}

function unescapeQuery(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw badRequest(`invalid URL escape in the query: ${JSON.stringify(text.slice(0, 100))}`)
  }
}
