import type { JsonObject, JsonValue } from '@orrery/kinds'
import { formatGoValue, getOwn, goTypeName, isObject, setOwn } from '@orrery/kinds/values'

/** A value at a simple path such as `.spec.replicas` has the wrong type. */
export class NestedTypeError extends Error {
  constructor(path: readonly string[], value: JsonValue, expected: string) {
    super(
      `.${path.join('.')} accessor error: ${formatGoValue(value)} is of the type ${goTypeName(value)}, expected ${expected}`,
    )
    this.name = 'NestedTypeError'
  }
}

/** Splits `.spec.replicas` into `['spec', 'replicas']`. */
export function splitPath(path: string): string[] {
  return (path.startsWith('.') ? path.slice(1) : path).split('.')
}

/** Returns the integer at a path; undefined if there is none. Throws `NestedTypeError`. */
export function nestedInteger(object: JsonObject, path: readonly string[]): number | undefined {
  const value = nestedValue(object, path)
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value))) return value
  throw new NestedTypeError(path, value, 'int64')
}

/** Returns the string at a path; undefined if there is none. Throws `NestedTypeError`. */
export function nestedString(object: JsonObject, path: readonly string[]): string | undefined {
  const value = nestedValue(object, path)
  if (value === undefined || typeof value === 'string') return value
  throw new NestedTypeError(path, value, 'string')
}

/** Sets a value and creates the objects on the way. Throws if another value is in the way. */
export function setNested(object: JsonObject, path: readonly string[], value: JsonValue): void {
  let at = object
  for (const [index, name] of path.slice(0, -1).entries()) {
    let next = getOwn(at, name)
    if (next === undefined) {
      next = {}
      setOwn(at, name, next)
    } else if (!isObject(next)) {
      const way = path.slice(0, index + 1).join('.')
      throw new TypeError(`value cannot be set because .${way} is not a map[string]interface{}`)
    }
    at = next
  }
  setOwn(at, path.at(-1) as string, value)
}

function nestedValue(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue = object
  for (const [index, name] of path.entries()) {
    if (value === null) return undefined
    if (!isObject(value)) throw new NestedTypeError(path.slice(0, index + 1), value, 'map[string]interface{}')
    const next = getOwn(value, name)
    if (next === undefined) return undefined
    value = next
  }
  return value
}
