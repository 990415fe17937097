import type { JsonObject, JsonValue } from '@orrery/kinds'
import { compileJsonPath, isObject, JsonPathVisits } from '@orrery/kinds/values'
import { type FieldPath, IgnoreFieldError } from './path.js'

/** How many values the paths for one manifest may visit. */
const MAX_VISITS = 50_000

/** Shared by all paths for one manifest: indexing the manifest takes long, and users write the paths. */
export interface JsonPathSearch {
  /** The path of each object within the manifest. */
  readonly placesIn: () => ReadonlyMap<object, FieldPath>
  readonly visits: JsonPathVisits
}

/** Prepares a search for fields of a manifest. */
export function searchIn(root: JsonObject): JsonPathSearch {
  let places: ReadonlyMap<object, FieldPath> | undefined
  return {
    placesIn: () => {
      places ??= placesOf(root)
      return places
    },
    visits: new JsonPathVisits(MAX_VISITS),
  }
}

/**
 * The fields that a JSONPath such as `.spec.replicas` or `.spec.containers[*].image` selects in an object. The last
 * step must be a field: list items are not removed, since that would shift the others.
 */
export function jsonPathFields(root: JsonObject, path: string, { placesIn, visits }: JsonPathSearch): FieldPath[] {
  const dot = path.lastIndexOf('.')
  const field = path.slice(dot + 1)
  if (dot < 0 || field === '' || /[[\]{}'"]/.test(field)) {
    throw new IgnoreFieldError(
      `JSONPath error in '${path}': it must end in the name of a field, as in '.spec.replicas'`,
    )
  }
  const parent = path.slice(0, dot)
  if (parent === '' || parent === '$') return Object.hasOwn(root, field) ? [[field]] : []
  let parents: unknown[]
  try {
    parents = compileJsonPath(`{${parent}}`, { allowMissingKeys: true }).results(root, visits).flat()
  } catch (error) {
    throw new IgnoreFieldError(`JSONPath error in '${path}': ${(error as Error).message}`)
  }
  const places = placesIn()
  return parents.flatMap((value) => {
    const place = isObject(value) && Object.hasOwn(value, field) ? places.get(value) : undefined
    return place === undefined ? [] : [[...place, field]]
  })
}

/** The path of each object within an object. */
function placesOf(root: JsonObject): Map<object, FieldPath> {
  const places = new Map<object, FieldPath>()
  const visit = (value: JsonValue, place: FieldPath) => {
    if (typeof value !== 'object' || value === null) return
    places.set(value, place)
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...place, index])
    else for (const [key, part] of Object.entries(value)) visit(part, [...place, key])
  }
  visit(root, [])
  return places
}
