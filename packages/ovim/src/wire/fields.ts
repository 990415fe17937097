import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  canonicalQuantity,
  childPath,
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  formatFieldError,
  indexPath,
  isObject,
  keyPath,
  ParseError,
} from '@orrery/kinds/values'

/** A body that does not have the shape of its message. `fields` names every problem, `message` has all of them. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly fields: readonly FieldError[]

  constructor(what: string, fields: readonly FieldError[]) {
    super(`${what} is not valid: ${fields.map(formatFieldError).join('; ')}`)
    this.fields = fields
  }
}

/**
 * Reads the fields of a message and notes every problem. Unknown fields are ignored: the other side may be newer.
 * `null` counts as absent, as Go writes it for empty lists and maps.
 */
export class Fields {
  readonly path: string
  readonly errors: FieldError[]
  readonly #object: JsonObject

  constructor(object: JsonObject, path: string, errors: FieldError[]) {
    this.#object = object
    this.path = path
    this.errors = errors
  }

  at(key: string): string {
    return childPath(this.path, key)
  }

  value(key: string): JsonValue | undefined {
    return (Object.hasOwn(this.#object, key) ? this.#object[key] : undefined) ?? undefined
  }

  /** The first of some keys that is present: a field may have several names. */
  first(...keys: readonly [string, ...string[]]): string {
    return keys.find((key) => this.value(key) !== undefined) ?? keys[0]
  }

  text(key: string): string | undefined {
    const value = this.value(key)
    if (value === undefined || typeof value === 'string') return value
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be a string'))
    return undefined
  }

  requiredText(key: string): string {
    const value = this.value(key)
    if (value === undefined || value === '') this.errors.push(fieldRequired(this.at(key)))
    return this.text(key) ?? ''
  }

  /** A required name. `problemsOf` is the rule for it, such as `isDNS1123Label`. */
  requiredName(key: string, problemsOf: (name: string) => readonly string[]): string {
    const value = this.requiredText(key)
    if (value !== '') this.checkName(key, value, problemsOf)
    return value
  }

  checkName(key: string, value: string, problemsOf: (name: string) => readonly string[]): void {
    for (const problem of problemsOf(value)) this.errors.push(fieldInvalid(this.at(key), value, problem))
  }

  choice<T extends string>(key: string, supported: readonly T[]): T | undefined {
    const value = this.text(key)
    if (value === undefined || supported.includes(value as T)) return value as T | undefined
    this.errors.push(fieldNotSupported(this.at(key), value, supported))
    return undefined
  }

  boolean(key: string): boolean | undefined {
    const value = this.value(key)
    if (value === undefined || typeof value === 'boolean') return value
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be true or false'))
    return undefined
  }

  number(key: string): number | undefined {
    const value = this.value(key)
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be a number'))
    return undefined
  }

  /** A whole number of at least 0. */
  count(key: string): number | undefined {
    const value = this.value(key)
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 0)) return value
    this.errors.push(fieldInvalid(this.at(key), value, 'must be a whole number of at least 0'))
    return undefined
  }

  /** A Kubernetes quantity. `unit` is the suffix that a plain number gets, for example `Gi`. */
  quantity(key: string, unit = ''): string | undefined {
    const value = this.value(key)
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string' && typeof value !== 'number') {
      this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be a quantity, such as "2" or "4Gi"'))
      return undefined
    }
    const text = typeof value === 'number' ? `${value}${unit}` : value
    try {
      if (!text.startsWith('-')) return canonicalQuantity(text)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
    }
    this.errors.push(fieldInvalid(this.at(key), value, 'must be a quantity, such as "2" or "4Gi"'))
    return undefined
  }

  /** A time in RFC 3339. An empty text is absent. */
  time(key: string): string | undefined {
    const value = this.text(key) || undefined
    if (value === undefined || !Number.isNaN(Date.parse(value))) return value
    this.errors.push(fieldInvalid(this.at(key), value, 'must be a time, such as "2026-01-02T15:04:05Z"'))
    return undefined
  }

  object(key: string): Fields | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (isObject(value)) return new Fields(value, this.at(key), this.errors)
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be an object'))
    return undefined
  }

  /** Any JSON object. */
  json(key: string): JsonObject | undefined {
    const value = this.value(key)
    if (value === undefined || isObject(value)) return value
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be an object'))
    return undefined
  }

  /** A map of texts, such as labels. */
  texts(key: string): Record<string, string> | undefined {
    const value = this.json(key)
    if (value === undefined) return undefined
    const texts: [string, string][] = []
    for (const [name, text] of Object.entries(value)) {
      if (typeof text === 'string') texts.push([name, text])
      else this.errors.push(fieldTypeInvalid(keyPath(this.at(key), name), text, 'must be a string'))
    }
    return Object.fromEntries(texts)
  }

  textList(key: string): string[] | undefined {
    return this.#items(key)?.flatMap((item, index) => {
      if (typeof item === 'string') return [item]
      this.errors.push(fieldTypeInvalid(indexPath(this.at(key), index), item, 'must be a string'))
      return []
    })
  }

  list<T>(key: string, read: (item: Fields) => T): T[] | undefined {
    return this.#items(key)?.flatMap((item, index) => {
      const path = indexPath(this.at(key), index)
      if (isObject(item)) return [read(new Fields(item, path, this.errors))]
      this.errors.push(fieldTypeInvalid(path, item, 'must be an object'))
      return []
    })
  }

  #items(key: string): readonly JsonValue[] | undefined {
    const value = this.value(key)
    if (value === undefined || Array.isArray(value)) return value
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be a list'))
    return undefined
  }
}

/** Reads a message. Throws a `WireError` that names every problem. */
export function readMessage<T>(what: string, value: unknown, read: (fields: Fields) => T, path = ''): T {
  if (!isObject(value)) throw new WireError(what, [fieldTypeInvalid(path, value ?? null, 'must be a JSON object')])
  const errors: FieldError[] = []
  const message = read(new Fields(value as JsonObject, path, errors))
  if (errors.length > 0) throw new WireError(what, errors)
  return message
}

/** Leaves out the members that are undefined, so that optional fields are absent rather than undefined. */
export function present<T extends object>(members: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}
