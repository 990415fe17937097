import type { JsonObject } from '@orrery/kinds'
import { type FieldError, fieldForbidden, fieldInvalid, isObject } from '@orrery/kinds/values'
import { IMMUTABLE } from './check.js'
import { sameValue, type Value } from './read.js'

/** Compares what is to be stored with what is stored, and reports what may not change. */
export type Change = (value: Value, old: Value, at: string, errors: FieldError[]) => void

/** A comparison of two whole objects. */
export type ObjectChange = (object: JsonObject, old: JsonObject, errors: FieldError[]) => void

/** Compiles a table from path to what may change there. `.`, which words may follow, compares the objects. */
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

/** May never change. `show` says how the refused value is printed where that is not its JSON form. */
export function immutable(detail = IMMUTABLE, show: (value: Value) => unknown = (value) => value): Change {
  return (value, old, at, errors) => {
    if (!sameValue(value, old)) errors.push(fieldInvalid(at, show(value), detail))
  }
}

/** May never change, and the refusal does not repeat the value. */
export function frozen(detail: string): Change {
  return (value, old, at, errors) => {
    if (!sameValue(value, old)) errors.push(fieldForbidden(at, detail))
  }
}

/** A counter that may only grow. */
export const notDecremented: Change = (value, old, at, errors) => {
  if (typeof old !== 'number') return
  const number = typeof value === 'number' ? value : 0
  if (value === undefined || number < old) errors.push(fieldInvalid(at, number, 'cannot be decremented'))
}
