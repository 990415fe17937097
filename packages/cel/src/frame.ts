import { adapt } from './json.js'
import type { CelType } from './type.js'
import { CelCostExceeded, CelEvalError, CelOpaque, CelOptional, type CelValue, none } from './values/value.js'

/** A variable of the environment. */
export interface Variable {
  readonly name: string
  readonly type: CelType
}

/** The state of one evaluation: its variables by number, and its cost so far. */
export class Frame {
  cost = 0
  /** Set from the environment's variables on first use, and by folds. An error is stored here until it is thrown. */
  readonly values: (CelValue | CelEvalError | undefined)[]
  readonly #limit: number
  readonly #variables: readonly Variable[]
  readonly #bindings: Readonly<Record<string, unknown>>

  constructor(
    variables: readonly Variable[],
    slots: number,
    bindings: Readonly<Record<string, unknown>>,
    limit: number,
  ) {
    this.#variables = variables
    this.#bindings = bindings
    this.#limit = limit
    this.values = new Array(slots).fill(undefined)
  }

  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CelCostExceeded()
  }

  /** A variable of the environment, from the caller's bindings. */
  global(slot: number): CelValue {
    const known = this.values[slot]
    if (known !== undefined) return known as CelValue
    const { name, type } = this.#variables[slot] as Variable
    if (!Object.hasOwn(this.#bindings, name)) throw new CelEvalError(`no such attribute(s): ${name}`)
    const value = bound(this.#bindings[name], type)
    this.values[slot] = value
    return value
  }

  local(slot: number): CelValue {
    const value = this.values[slot]
    if (value instanceof CelEvalError) throw value
    return value as CelValue
  }
}

/** Bindings are JSON, except values of libraries; optional variables may be absent. */
function bound(raw: unknown, type: CelType): CelValue {
  if (raw instanceof CelOpaque) return raw
  if (type.kind !== 'optional') return adapt(raw, type)
  return raw === undefined || raw === null ? none : new CelOptional(adapt(raw, type.params[0] as CelType))
}
