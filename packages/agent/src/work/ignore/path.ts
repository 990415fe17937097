import { isObject, type JsonObject, type JsonValue } from '@orrery/kube'

/** Where a field is in an object: names of fields, and places in lists. */
export type FieldPath = readonly (string | number)[]

/** The fields to leave alone cannot be told: the work has to be changed. */
export class IgnoreFieldError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'IgnoreFieldError'
  }
}

/** What is at a path; undefined when it leads nowhere. */
export function valueAt(root: JsonValue, path: FieldPath): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const step of path) value = child(value, step)
  return value
}

/** What is at one step below a value. */
export function child(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value.at(step) : undefined
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** The object with another value at a path that is there, or without one. What is not on the way is shared. */
export function withValueAt(root: JsonObject, path: FieldPath, value: JsonValue | undefined): JsonObject {
  return changed(root, path, value) as JsonObject
}

function changed(at: JsonValue, [step, ...rest]: FieldPath, value: JsonValue | undefined): JsonValue {
  if (step === undefined) return value as JsonValue
  const below = child(at, step)
  if (below === undefined) return at
  const isGone = rest.length === 0 && value === undefined
  if (Array.isArray(at)) {
    return isGone ? at.toSpliced(step as number, 1) : at.with(step as number, changed(below, rest, value))
  }
  if (!isGone) return { ...(at as JsonObject), [step]: changed(below, rest, value) }
  const { [step]: _, ...others } = at as JsonObject
  return others
}

/** Paths in an order in which they can be taken away one after the other: later items of a list first, inner before outer. */
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
