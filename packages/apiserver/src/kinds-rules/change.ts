import type { JsonObject } from '@orrery/kinds'
import { type FieldError, fieldForbidden, fieldInvalid, isObject } from '@orrery/kinds/values'
import { IMMUTABLE } from './check.js'
import { sameValue, type Value } from './read.js'

/** Compares the new value with the stored one, and reports forbidden changes. */
export type Change = (value: Value, old: Value, at: string, errors: FieldError[]) => void

/** Compares two whole objects. */
export type ObjectChange = (object: JsonObject, old: JsonObject, errors: FieldError[]) => void

/** Compiles a table from path to change rule. `.`, optionally followed by a comment, compares the objects. */
export function changes(rules: Readonly<Record<string, Change | ObjectChange>>): ObjectChange {
  const compiled = Object.entries(rules).map(([path, change]) => ({
    path,
    segments: path.split('.'),
    change: change as Change,
  }))
  return (object, old, errors) => {
    for (const { path, segments, change } of compiled) {
      if (path.startsWith('.')) (change as unknown as ObjectChange)(object, old, errors)
      else change(follow(object, segments), follow(old, segments), path, errors)
    }
  }
}

function follow(object: JsonObject, segments: readonly string[]): Value {
  let value: Value = object
  for (const segment of segments) {
    if (!isObject(value)) return undefined
    value = value[segment]
  }
  return value
}

/** The value is immutable. `show` formats the refused value if that differs from its JSON. */
export function immutable(detail = IMMUTABLE, show: (value: Value) => unknown = (value) => value): Change {
  return (value, old, at, errors) => {
    if (!sameValue(value, old)) errors.push(fieldInvalid(at, show(value), detail))
  }
}

/** The value is immutable, and the error does not repeat it. */
export function frozen(detail: string): Change {
  return (value, old, at, errors) => {
    if (!sameValue(value, old)) errors.push(fieldForbidden(at, detail))
  }
}

/** A counter that may only increase. */
export const notDecremented: Change = (value, old, at, errors) => {
  if (typeof old !== 'number') return
  const number = typeof value === 'number' ? value : 0
  if (value === undefined || number < old) errors.push(fieldInvalid(at, number, 'cannot be decremented'))
}
