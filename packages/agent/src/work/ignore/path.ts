import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject, setOwn } from '@orrery/kinds/values'

/** The path of a field in an object: field names and list indexes. */
export type FieldPath = readonly (string | number)[]

/** The fields to ignore cannot be determined: the work has to be changed. */
export class IgnoreFieldError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'IgnoreFieldError'
  }
}

/** The value at a path; undefined if the path does not exist. */
export function valueAt(root: JsonValue, path: FieldPath): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const step of path) value = child(value, step)
  return value
}

/** The value one step below a value. */
export function child(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value.at(step) : undefined
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** A new value for a field; undefined removes it. */
export type FieldChange = readonly [path: FieldPath, value: JsonValue | undefined]

/**
 * The object with these fields changed or removed. The changes must be in removal order. Unchanged parts are shared,
 * and each changed part is copied once, since there may be as many paths as fields.
 */
export function withChanges(root: JsonObject, changes: Iterable<FieldChange>): JsonObject {
  const copies = new Set<JsonValue>()
  const removed = new Map<JsonValue[], Set<number>>()
  const copyOf = <T extends JsonObject | JsonValue[]>(value: T): T => {
    if (copies.has(value)) return value
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as T
    copies.add(copy)
    return copy
  }
  const whole = copyOf(root)
  for (const [path, value] of changes) {
    if (valueAt(whole, path) === undefined) continue
    let at: JsonObject | JsonValue[] = whole
    for (const step of path.slice(0, -1)) {
      const below: JsonObject | JsonValue[] = copyOf(child(at, step) as JsonObject | JsonValue[])
      put(at, step, below)
      at = below
    }
    const last = path.at(-1) as string | number
    if (value !== undefined) put(at, last, value)
    else if (!Array.isArray(at)) delete at[last]
    else removed.set(at, (removed.get(at) ?? new Set()).add(placeIn(at, last as number)))
  }
  // Last, so that list indexes stay valid for the other paths.
  for (const [list, places] of removed) {
    let kept = 0
    for (const [index, item] of list.entries()) if (!places.has(index)) list[kept++] = item
    list.length = kept
  }
  return whole
}

function put(at: JsonObject | JsonValue[], step: string | number, value: JsonValue): void {
  if (Array.isArray(at)) at[placeIn(at, step as number)] = value
  else setOwn(at, String(step), value)
}

function placeIn(list: JsonValue[], step: number): number {
  return step < 0 ? list.length + step : step
}

/** Paths in an order in which they can be removed one after the other: later list items first, inner before outer. */
export function inRemovalOrder(paths: readonly FieldPath[]): FieldPath[] {
  const unique = new Map(paths.map((path) => [JSON.stringify(path), path]))
  return [...unique.values()].sort((a, b) => comparePaths(b, a))
}

function comparePaths(a: FieldPath, b: FieldPath): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const left = a[index] as string | number
    const right = b[index] as string | number
    if (left === right) continue
    return left < right ? -1 : 1
  }
  return a.length - b.length
}
