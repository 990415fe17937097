import type { JsonObject, JsonValue } from '@orrery/kinds'
import { compileJsonPath, isObject, JsonPathVisits } from '@orrery/kinds/values'
import { type FieldPath, IgnoreFieldError } from './path.js'

/** How many values the paths for one manifest may come by. */
const MAX_VISITS = 50_000

/** What several paths for one manifest share: to find out where everything is takes long, and users bring the paths. */
export interface JsonPathSearch {
  /** Where each object within the manifest is. */
  readonly placesIn: () => ReadonlyMap<object, FieldPath>
  readonly visits: JsonPathVisits
}

/** Begins to look for fields of a manifest. */
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
 * The fields that a JSONPath such as `.spec.replicas` or `.spec.containers[*].image` names in an object. The last step has
 * to be a field: items of lists are not taken out, as that would change the places of the others.
 */
export function jsonPathFields(root: JsonObject, path: string, { placesIn, visits }: JsonPathSearch): FieldPath[] {
  const dot = path.lastIndexOf('.')
  const field = path.slice(dot + 1)
  if (dot < 0 || field === '' || /[[\]{}'"]/.test(field)) {
    throw new IgnoreFieldError(
      `JSONPath error in '${path}': it has to end in the name of a field, as in '.spec.replicas'`,
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

/** Where each object within an object is. */
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
