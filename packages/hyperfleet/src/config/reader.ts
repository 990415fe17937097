import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  childPath,
  durationToMilliseconds,
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  formatFieldError,
  indexPath,
  isObject,
  parseDuration,
} from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'

/** Reads the fields of an object and notes every problem, so that one run reports all of them. */
export class Reader {
  readonly path: string
  readonly errors: FieldError[]
  readonly #object: JsonObject
  readonly #read = new Set<string>()

  constructor(object: JsonObject, path = '', errors: FieldError[] = []) {
    this.#object = object
    this.path = path
    this.errors = errors
  }

  at(key: string): string {
    return childPath(this.path, key)
  }

  has(key: string): boolean {
    return this.value(key) !== undefined
  }

  /** Any value; undefined if it is absent or null. */
  value(key: string): JsonValue | undefined {
    this.#read.add(key)
    return (Object.hasOwn(this.#object, key) ? this.#object[key] : undefined) ?? undefined
  }

  string(key: string): string | undefined {
    const value = this.value(key)
    if (value === undefined || typeof value === 'string') return value
    // YAML reads versions such as 1.0 as numbers.
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be a string'))
    return undefined
  }

  requiredString(key: string, detail = ''): string {
    const value = this.string(key)
    if (value === undefined || value === '') this.errors.push(fieldRequired(this.at(key), detail))
    return value ?? ''
  }

  /** One of some texts. */
  choice<T extends string>(key: string, supported: readonly T[]): T | undefined {
    const value = this.string(key)
    if (value === undefined || supported.includes(value as T)) return value as T | undefined
    this.errors.push(fieldNotSupported(this.at(key), value, supported))
    return undefined
  }

  boolean(key: string): boolean {
    const value = this.value(key)
    if (value === undefined || typeof value === 'boolean') return value ?? false
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be true or false'))
    return false
  }

  /** A whole number of at least 1. */
  count(key: string): number | undefined {
    const value = this.value(key)
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 1)) return value
    this.errors.push(fieldInvalid(this.at(key), value, 'must be a whole number of at least 1'))
    return undefined
  }

  positive(key: string): number | undefined {
    const value = this.value(key)
    if (value === undefined || (typeof value === 'number' && value > 0 && Number.isFinite(value))) return value
    this.errors.push(fieldInvalid(this.at(key), value, 'must be a number greater than 0'))
    return undefined
  }

  /** A duration such as `10s`, in milliseconds. */
  duration(key: string): number | undefined {
    const text = this.string(key)
    if (text === undefined) return undefined
    try {
      const milliseconds = durationToMilliseconds(parseDuration(text))
      if (milliseconds > 0) return milliseconds
    } catch {
      // The message below says what is expected.
    }
    this.errors.push(fieldInvalid(this.at(key), text, 'must be a positive duration, such as "10s"'))
    return undefined
  }

  object(key: string): Reader | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (isObject(value)) return new Reader(value, this.at(key), this.errors)
    this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be an object'))
    return undefined
  }

  /** The texts of an object. */
  strings(key: string): Record<string, string> {
    const inner = this.object(key)
    if (inner === undefined) return {}
    return Object.fromEntries(inner.keys().map((name) => [name, inner.string(name) ?? '']))
  }

  keys(): string[] {
    return Object.keys(this.#object)
  }

  /** The objects of a list, each parsed. */
  list<T>(key: string, parse: (item: Reader) => T): T[] {
    const value = this.value(key)
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.errors.push(fieldTypeInvalid(this.at(key), value, 'must be a list'))
      return []
    }
    return value.flatMap((item, index) => {
      const path = indexPath(this.at(key), index)
      if (!isObject(item)) {
        this.errors.push(fieldTypeInvalid(path, item, 'must be an object'))
        return []
      }
      const reader = new Reader(item, path, this.errors)
      const parsed = parse(reader)
      reader.end()
      return [parsed]
    })
  }

  /** Notes the fields that nothing has read: they are misspelled. */
  end(): void {
    for (const key of this.keys()) {
      if (!this.#read.has(key)) this.errors.push(fieldInvalid(this.at(key), key, 'unknown field'))
    }
  }
}

/** Throws all problems of a file in one error. */
export function throwErrors(file: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return
  const lines = errors.map((error) => `  ${formatFieldError(error)}`)
  throw new AdapterError('Configuration', `${file} is not valid:\n${lines.join('\n')}`)
}
