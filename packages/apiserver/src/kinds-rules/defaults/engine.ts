import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/** Applies the defaults of a struct. */
export type Defaults = (struct: JsonObject) => void

/** A default that also replaces zero: plain numbers in Go do not distinguish zero from absent. */
export interface NonZero {
  readonly nonZero: number
}

/** A default that must not be shared between objects. */
export interface Fresh {
  make(): JsonValue
}

export type DefaultValue = string | number | boolean | NonZero | Fresh | Defaults

export const nonZero = (value: number): NonZero => ({ nonZero: value })
export const fresh = (make: () => JsonValue): Fresh => ({ make })
export const emptyStruct: Fresh = fresh(() => ({}))

/**
 * Defaults by path. `name?` continues only if the field is present, `name[]` iterates over a list; without a mark an
 * absent struct is created. A function sets the defaults of the struct at the path; `.` is the struct itself.
 */
export type DefaultsTable = Readonly<Record<string, DefaultValue>>

interface Step {
  readonly name: string
  readonly mark: '' | '?' | '[]'
}

/** Compiles a table of defaults, which are applied in the order of the table. */
export function defaults(table: DefaultsTable): Defaults {
  const fillers = Object.entries(table).map(([path, value]): Defaults => {
    if (path.startsWith('.')) return value as Defaults
    const steps = path.split('.').map(parseStep)
    return (struct) => descend(struct, steps, 0, value)
  })
  return (struct) => {
    for (const fill of fillers) fill(struct)
  }
}

function parseStep(segment: string): Step {
  if (segment.endsWith('[]')) return { name: segment.slice(0, -2), mark: '[]' }
  if (segment.endsWith('?')) return { name: segment.slice(0, -1), mark: '?' }
  return { name: segment, mark: '' }
}

function descend(struct: JsonObject, steps: readonly Step[], index: number, value: DefaultValue): void {
  const step = steps[index]
  if (step === undefined) return
  const { name, mark } = step
  const last = index === steps.length - 1
  if (last && typeof value !== 'function') {
    fill(struct, name, value)
    return
  }
  const child = struct[name]
  if (mark === '[]') {
    if (!Array.isArray(child)) return
    for (const item of child) if (isObject(item)) enter(item, steps, index, value, last)
    return
  }
  if (isObject(child)) {
    enter(child, steps, index, value, last)
    return
  }
  if (mark === '?' || (child !== undefined && child !== null)) return
  const made: JsonObject = {}
  struct[name] = made
  enter(made, steps, index, value, last)
}

function enter(struct: JsonObject, steps: readonly Step[], index: number, value: DefaultValue, last: boolean): void {
  if (last) (value as Defaults)(struct)
  else descend(struct, steps, index + 1, value)
}

function fill(struct: JsonObject, name: string, value: Exclude<DefaultValue, Defaults>): void {
  const current = struct[name]
  if (typeof value === 'object') {
    if ('nonZero' in value) {
      if (!current) struct[name] = value.nonZero
    } else if (current === undefined || current === null) struct[name] = value.make()
  } else if (current === undefined || current === null || (current === '' && typeof value === 'string')) {
    struct[name] = value
  }
}
