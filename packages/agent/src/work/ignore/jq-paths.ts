import type { JsonValue } from '@orrery/kinds'
import { isObject, jsonEqual } from '@orrery/kinds/values'
import { JqSyntaxError } from './jq-tokens.js'
import { type JqPath, type JqTest, type Operator, parseJq } from './jqparser.js'
import { child, type FieldPath, IgnoreFieldError } from './path.js'

/** A value that an expression has reached, and its path. */
interface Place {
  readonly path: FieldPath
  /** Null also for absent values, as in jq. */
  readonly value: JsonValue
}

/** The expression does not apply to the object. */
class JqError extends Error {}

/** A few `..` in a row reach as many places as there are paths. */
const MAX_PLACES = 50_000

/**
 * Returns the paths of the fields that a jq path expression selects. Expressions that share `places` share its limit.
 */
export function jqPaths(root: JsonValue, expression: string, places = new JqPlaces()): FieldPath[] {
  try {
    const walk = new Walk(places)
    return Array.from(walk.along(parseJq(expression), { path: [], value: root }), ({ path }) => path)
  } catch (error) {
    if (!(error instanceof JqError) && !(error instanceof JqSyntaxError)) throw error
    throw new IgnoreFieldError(`JQ expression error in '${expression}': ${error.message}`)
  }
}

/** The limit of places that expressions may reach together. */
export class JqPlaces {
  #left = MAX_PLACES

  take(): void {
    if (--this.#left < 0) throw new JqError(`it reaches more than ${MAX_PLACES} places`)
  }
}

class Walk {
  readonly #places: JqPlaces

  constructor(places: JqPlaces) {
    this.#places = places
  }

  #holds(test: JqTest, place: Place): boolean {
    switch (test.type) {
      case 'and':
        return this.#holds(test.left, place) && this.#holds(test.right, place)
      case 'or':
        return this.#holds(test.left, place) || this.#holds(test.right, place)
      case 'not':
        return !this.#holds(test.test, place)
      default:
        for (const { value } of this.along(test.path, place)) if (answer(test, value)) return true
        return false
    }
  }

  *along(step: JqPath, place: Place): Generator<Place> {
    this.#places.take()
    switch (step.type) {
      case 'identity':
        yield place
        return
      case 'field':
        yield this.#field(place, step.name)
        return
      case 'index':
        yield this.#index(place, step.index)
        return
      case 'iterate':
        yield* this.#items(place)
        return
      case 'descend':
        yield* this.#descend(place)
        return
      case 'optional':
        yield* this.#tolerant(step.path, place)
        return
      case 'pipe':
        for (const next of this.along(step.first, place)) yield* this.along(step.rest, next)
        return
      case 'several':
        for (const path of step.paths) yield* this.along(path, place)
        return
      case 'select':
        if (this.#holds(step.test, place)) yield place
    }
  }

  #field({ path, value }: Place, name: string): Place {
    if (value !== null && !isObject(value))
      throw new JqError(`cannot index ${typeName(value)} with ${JSON.stringify(name)}`)
    return { path: [...path, name], value: child(value, name) ?? null }
  }

  #index({ path, value }: Place, index: number): Place {
    if (value === null) return { path: [...path, index], value }
    if (!Array.isArray(value)) throw new JqError(`cannot index ${typeName(value)} with a number`)
    const at = index < 0 ? value.length + index : index
    return { path: [...path, at], value: value[at] ?? null }
  }

  *#items({ path, value }: Place): Generator<Place> {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) yield { path: [...path, index], value: item }
    } else if (isObject(value)) {
      for (const [key, part] of Object.entries(value)) yield { path: [...path, key], value: part }
    } else {
      throw new JqError(`cannot iterate over ${typeName(value)}`)
    }
  }

  *#descend(place: Place): Generator<Place> {
    this.#places.take()
    yield place
    if (typeof place.value === 'object' && place.value !== null) {
      for (const below of this.#items(place)) yield* this.#descend(below)
    }
  }

  /** Results before an error count; the error is ignored. */
  *#tolerant(step: JqPath, place: Place): Generator<Place> {
    try {
      yield* this.along(step, place)
    } catch (error) {
      if (!(error instanceof JqError)) throw error
    }
  }
}

type Question = Exclude<JqTest, { type: 'and' | 'or' | 'not' }>

function answer(test: Question, value: JsonValue): boolean {
  switch (test.type) {
    case 'truthy':
      return value !== null && value !== false
    case 'has':
      if (!isObject(value)) throw new JqError(`cannot check whether ${typeName(value)} has a key`)
      return Object.hasOwn(value, test.key)
    case 'text':
      if (typeof value !== 'string') throw new JqError(`${test.call}() requires a string`)
      return test.call === 'startswith' ? value.startsWith(test.value) : value.endsWith(test.value)
    case 'compare':
      return compares(value, test.operator, test.value)
  }
}

function compares(left: JsonValue, operator: Operator, right: JsonValue): boolean {
  if (operator === '==') return jsonEqual(left, right)
  if (operator === '!=') return !jsonEqual(left, right)
  const order = compareValues(left, right)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

/** jq's order of values of different types. */
const TYPE_ORDER = ['null', 'boolean', 'number', 'string', 'array', 'object']

function compareValues(left: JsonValue, right: JsonValue): number {
  const byType = TYPE_ORDER.indexOf(typeName(left)) - TYPE_ORDER.indexOf(typeName(right))
  if (byType !== 0 || left === null || right === null) return byType
  return left < right ? -1 : left > right ? 1 : 0
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
