import type { JsonObject, JsonValue } from '@orrery/kinds'
import { getOwn } from '@orrery/kinds/values'
import type { DecodedBody } from '../request/decode.js'

/** How many problems a client is told about. */
const MAX_PROBLEMS = 100

/** What strict field validation finds, one by one for warnings and in one text for an error. */
export interface StrictProblems {
  readonly each: readonly string[]
  readonly text: string
}

/** The problems of a request body, given which of its fields are unknown to the kind. */
export function strictProblems(
  { value, duplicates, repeats = [] }: DecodedBody,
  unknown: readonly string[],
  custom: boolean,
): StrictProblems {
  if (repeats.length === 0) {
    const each = jsonProblems(value, unknown, duplicates, custom)
    return { each, text: each.join(', ') }
  }
  // YAML becomes JSON first, whose keys are in order, and tells all repeated keys at once.
  const ordered = custom ? unknown : [...unknown].sort()
  const unknowns = ordered.map((path) => textOf(problem('unknown', path)))
  return { each: [...repeats, ...unknowns], text: [unmarshalErrors(repeats), ...unknowns].join(', ') }
}

/** What Go's YAML package says about repeated keys. */
export function unmarshalErrors(repeats: readonly string[]): string {
  return ['yaml: unmarshal errors:', ...repeats].join('\n  ')
}

/**
 * What strict field validation finds wrong with a JSON document. A built-in kind is read once, so its problems come as the
 * document has them and a field nobody knows cannot be a duplicate; a custom one is read first and then checked.
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

/** Which of two fields the document has first. */
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

/** Where the members of objects are. An object can have many, and is asked about for every comparison. */
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
