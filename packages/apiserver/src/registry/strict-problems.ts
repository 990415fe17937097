import type { JsonObject, JsonValue } from '@orrery/kinds'
import { getOwn } from '@orrery/kinds/values'
import type { DecodedBody } from '../request/decode.js'

/** The maximum number of reported problems. */
const MAX_PROBLEMS = 100

/** The problems that strict field validation finds, individually for warnings and as one text for an error. */
export interface StrictProblems {
  readonly each: readonly string[]
  readonly text: string
}

/** Returns the problems of a request body with its unknown fields. */
export function strictProblems(
  { value, duplicates, repeats = [] }: DecodedBody,
  unknown: readonly string[],
  custom: boolean,
): StrictProblems {
  if (repeats.length === 0) {
    const each = jsonProblems(value, unknown, duplicates, custom)
    return { each, text: each.join(', ') }
  }
  // YAML is converted to JSON with sorted keys first, which reports all duplicate keys at once.
  const ordered = custom ? unknown : [...unknown].sort()
  const unknowns = ordered.map((path) => textOf(problem('unknown', path)))
  return { each: [...repeats, ...unknowns], text: [unmarshalErrors(repeats), ...unknowns].join(', ') }
}

/** Formats duplicate keys like Go's YAML package. */
export function unmarshalErrors(repeats: readonly string[]): string {
  return ['yaml: unmarshal errors:', ...repeats].join('\n  ')
}

/**
 * Returns the problems of a JSON document. A built-in kind is decoded in one pass, so its problems are in document
 * order and an unknown field cannot be a duplicate; a custom one is decoded first and then checked.
 */
function jsonProblems(
  document: JsonObject,
  unknown: readonly string[],
  duplicates: readonly string[],
  custom: boolean,
): string[] {
  const unknowns = unknown.slice(0, MAX_PROBLEMS).map((path) => problem('unknown', path))
  if (custom)
    return [...duplicates.map((path) => problem('duplicate', path)), ...unknowns].map(textOf).slice(0, MAX_PROBLEMS)
  const strange = new Set(unknown)
  const repeated = duplicates.filter((path) => !strange.has(path)).slice(0, MAX_PROBLEMS)
  const problems = [...unknowns, ...repeated.map((path) => problem('duplicate', path))]
  if (repeated.length > 0) {
    const places = new Places()
    problems.sort((a, b) => comparePlaces(document, a.segments, b.segments, places))
  }
  return problems.map(textOf).slice(0, MAX_PROBLEMS)
}

interface Problem {
  readonly what: 'unknown' | 'duplicate'
  readonly path: string
  readonly segments: readonly string[]
}

function problem(what: Problem['what'], path: string): Problem {
  return { what, path, segments: path.split(/[.[\]]+/) }
}

function textOf({ what, path }: Problem): string {
  return `${what} field ${JSON.stringify(path)}`
}

/** Compares the positions of two fields in the document. */
function comparePlaces(document: JsonValue, a: readonly string[], b: readonly string[], places: Places): number {
  let node: JsonValue | undefined = document
  for (let depth = 0; depth < a.length && depth < b.length; depth++) {
    if (typeof node !== 'object' || node === null) return 0
    const [left = '', right = ''] = [a[depth], b[depth]]
    if (left !== right) {
      return places.of(node, left) - places.of(node, right)
    }
    node = Array.isArray(node) ? node[Number(left)] : getOwn(node, left)
  }
  return a.length - b.length
}

/** The positions of the members of objects, cached since every comparison needs them. */
class Places {
  readonly #byObject = new Map<object, ReadonlyMap<string, number>>()

  of(object: object, name: string): number {
    let places = this.#byObject.get(object)
    if (places === undefined) {
      places = new Map(Object.keys(object).map((key, index) => [key, index]))
      this.#byObject.set(object, places)
    }
    return places.get(name) ?? -1
  }
}
