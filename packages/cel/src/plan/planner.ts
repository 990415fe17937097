import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr } from '../ast.js'
import type { Checked } from '../checker.js'
import { LIST_COST, MAP_COST } from '../cost.js'
import { contains } from '../equal.js'
import type { Frame, Variable } from '../frame.js'
import { listItem, mapValue, noSuchKey } from '../library/collection.js'
import { optionalIndex } from '../library/optional.js'
import { cachedRegex } from '../library/regex.js'
import type { CelType } from '../type.js'
import { ArrayList, CelList } from '../values/list.js'
import { CelMap, HashMap, hashKey } from '../values/map.js'
import { CelEvalError, CelOptional, CelTypeValue, type CelValue, none, noSuchOverload } from '../values/value.js'
import { planCall } from './call.js'
import { planFold } from './fold.js'

/** A part of an expression, ready to run. */
export type Step = (frame: Frame) => CelValue

/** What is known about a step, for the steps around it. */
export interface Planned {
  readonly step: Step
  /** The value, if it is constant. */
  readonly constant?: CelValue
  /** Reads a variable or continues from one: further selections belong to the same read. */
  readonly attribute?: boolean
}

/** Conversions that are done at compile time if their argument is constant. */
const conversions = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'timestamp',
  'duration',
  'type',
  'dyn',
])

/** Compiles a checked expression into steps. */
export class Planner {
  readonly checked: Checked
  readonly #scopes: { name: string; slot: number; read: Step }[] = []
  readonly #planned = new Map<number, Planned>()
  readonly #ahead: boolean
  #slots: number
  readonly #globals: ReadonlyMap<string, number>

  /** `ahead`: invalid constants and patterns are rejected at compile time, not at run time. */
  constructor(checked: Checked, variables: readonly Variable[], ahead: boolean) {
    this.checked = checked
    this.#ahead = ahead
    this.#globals = new Map(variables.map(({ name }, slot) => [name, slot]))
    this.#slots = variables.length
  }

  /** The number of variables of an evaluation. */
  get slotCount(): number {
    return this.#slots
  }

  typeOf(expr: Expr): CelType {
    return this.checked.types.get(expr.id) as CelType
  }

  /** Adds a slot for a variable of a fold. */
  newSlot(): number {
    return this.#slots++
  }

  /** Plans within the scope of a variable. */
  within<T>(name: string, slot: number, read: Step, plan: () => T): T {
    this.#scopes.push({ name, slot, read })
    const planned = plan()
    this.#scopes.pop()
    return planned
  }

  /** The slot of the innermost variable of this name, if it belongs to a fold. */
  localSlot(expr: Expr): number | undefined {
    return expr.type === 'ident' ? this.#scopes.findLast(({ name }) => name === expr.name)?.slot : undefined
  }

  plan(expr: Expr): Planned {
    const known = this.#planned.get(expr.id)
    if (known !== undefined) return known
    const planned = this.#planNew(expr)
    this.#planned.set(expr.id, planned)
    return planned
  }

  #planNew(expr: Expr): Planned {
    switch (expr.type) {
      case 'literal':
        return constant(expr.value)
      case 'ident':
        return this.#name(expr)
      case 'select':
        return this.checked.names.has(expr.id) ? this.#name(expr) : this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'fold':
        return { step: planFold(this, expr as FoldExpr) }
      case 'struct':
        throw new Error(`struct ${expr.name} passed the checker`)
    }
  }

  #name(expr: Expr): Planned {
    const reference = this.checked.names.get(expr.id)
    if (reference?.type === 'type') return constant(new CelTypeValue(reference.value))
    const name = reference?.name ?? ''
    const local = this.#scopes.findLast((scope) => scope.name === name)
    if (local !== undefined) {
      const { read } = local
      return { attribute: true, step: charged(read) }
    }
    const slot = this.#globals.get(name) as number
    return { attribute: true, step: charged((frame) => frame.global(slot)) }
  }

  #select({ operand, field, test }: SelectExpr): Planned {
    const { step, attribute } = this.plan(operand)
    if (test) return { step: (frame) => hasField(step(frame), field) }
    // Selecting from anything but a variable's content counts as a separate read.
    const cost = attribute ? 1 : 2
    return {
      attribute: true,
      step: (frame) => {
        const value = step(frame)
        frame.charge(cost)
        return selectField(value, field)
      },
    }
  }

  #call(expr: CallExpr): Planned {
    switch (expr.name) {
      case '_&&_':
        return { step: this.#logical(expr, false) }
      case '_||_':
        return { step: this.#logical(expr, true) }
      case '_?_:_':
        return this.#conditional(expr)
      case '@not_strictly_false':
        return { step: this.#notStrictlyFalse(expr) }
      case '_?._':
        return this.#optionalSelect(expr)
      case '_[_]':
      case '_[?_]':
        return this.#index(expr)
      default:
        return this.#function(expr)
    }
  }

  #function(expr: CallExpr): Planned {
    const namespaced = this.checked.namespaced.has(expr.id)
    const operands = expr.target === undefined || namespaced ? expr.args : [expr.target, ...expr.args]
    const planned = operands.map((operand) => this.plan(operand))
    const overloads = this.checked.overloads.get(expr.id) ?? []
    const [only] = overloads
    if (only?.id === 'optional_or_optional' || only?.id === 'optional_orValue_value') {
      return { step: alternative(planned, only.id === 'optional_or_optional') }
    }
    if (expr.name === '@in') {
      const membership = constantMembership(planned)
      if (membership !== undefined) return { step: membership }
    }
    if (this.#ahead && regexFunctions.has(expr.name)) checkPattern(planned[1])
    const step = planCall(this, expr, overloads, operands, planned)
    const [first] = planned
    if (this.#ahead && planned.length === 1 && conversions.has(expr.name) && first?.constant !== undefined) {
      return constant(overloads[0]?.call(first.constant) as CelValue)
    }
    return { step }
  }

  /** `&&` and `||`: a side that decides absorbs an error on the other. */
  #logical(expr: CallExpr, settles: boolean): Step {
    const [left, right] = expr.args.map((arg) => this.plan(arg).step) as [Step, Step]
    return (frame) => {
      let problem: CelEvalError | undefined
      try {
        const value = left(frame)
        if (value === settles) return settles
        if (typeof value !== 'boolean') problem = noSuchOverload()
      } catch (error) {
        if (!(error instanceof CelEvalError)) throw error
        problem = error
      }
      const value = right(frame)
      if (value === settles) return settles
      if (problem !== undefined) throw problem
      if (typeof value !== 'boolean') throw noSuchOverload()
      return value
    }
  }

  #conditional(expr: CallExpr): Planned {
    const [condition, then, otherwise] = expr.args.map((arg) => this.plan(arg)) as [Planned, Planned, Planned]
    const [yes, no] = [asPart(then), asPart(otherwise)]
    return {
      attribute: true,
      step: (frame) => {
        const value = condition.step(frame)
        if (typeof value !== 'boolean') throw noSuchOverload()
        return value ? yes(frame) : no(frame)
      },
    }
  }

  #notStrictlyFalse(expr: CallExpr): Step {
    const { step } = this.plan(expr.args[0] as Expr)
    return (frame) => {
      frame.charge(1)
      try {
        return step(frame) !== false
      } catch (error) {
        if (error instanceof CelEvalError) return true
        throw error
      }
    }
  }

  #optionalSelect(expr: CallExpr): Planned {
    const [operand, field] = expr.args as [Expr, Expr]
    const { step } = this.plan(operand)
    const name = (field as { value: string }).value
    return { attribute: true, step: (frame) => chargedIfFound(frame, optionalIndex(step(frame), name)) }
  }

  #index(expr: CallExpr): Planned {
    const [container, key] = expr.args.map((arg) => this.plan(arg)) as [Planned, Planned]
    const keyStep = asPart(key)
    if (expr.name === '_[?_]') {
      const step: Step = (frame) => chargedIfFound(frame, optionalIndex(container.step(frame), keyStep(frame)))
      return { attribute: true, step }
    }
    const cost = container.attribute ? 1 : 2
    return {
      attribute: true,
      step: (frame) => {
        const from = container.step(frame)
        const at = keyStep(frame)
        frame.charge(cost)
        return from instanceof CelOptional ? optionalIndex(from, at) : indexed(from, at)
      },
    }
  }

  #list({ items, optional }: ListExpr): Planned {
    const planned = items.map((item) => this.plan(item))
    if (optional.size === 0 && planned.every((item) => item.constant !== undefined)) {
      return constant(new ArrayList(planned.map((item) => item.constant as CelValue)))
    }
    return {
      step: (frame) => {
        const values: CelValue[] = []
        planned.forEach(({ step }, index) => {
          const value = step(frame)
          if (!optional.has(index)) values.push(value)
          else if (!(value instanceof CelOptional)) throw notOptional(value)
          else if (value.value !== undefined) values.push(value.value)
        })
        frame.charge(LIST_COST)
        return new ArrayList(values)
      },
    }
  }

  #map({ entries }: MapExpr): Planned {
    const planned = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }))
    const step: Step = (frame) => {
      const map = new HashMap()
      for (const { key, value, optional } of planned) {
        const name = key.step(frame)
        const content = value.step(frame)
        if (!optional) map.add(name, content)
        else if (!(content instanceof CelOptional)) throw notOptional(content)
        else if (content.value !== undefined) map.add(name, content.value)
      }
      frame.charge(MAP_COST)
      return map
    }
    return constantMap(planned) ?? { step }
  }
}

interface PlannedEntry {
  readonly key: Planned
  readonly value: Planned
  readonly optional: boolean
}

/** A map of constants is created once, unless it has an invalid or duplicate key: then the evaluation fails. */
function constantMap(entries: readonly PlannedEntry[]): Planned | undefined {
  const map = new HashMap()
  for (const { key, value, optional } of entries) {
    if (optional || key.constant === undefined || value.constant === undefined) return undefined
    if (hashKey(key.constant) === undefined || map.find(key.constant) !== undefined) return undefined
    map.add(key.constant, value.constant)
  }
  return constant(map)
}

/** `or` and `orValue` evaluate the alternative only if needed. */
function alternative([first, second]: readonly Planned[], keepsOptional: boolean): Step {
  return (frame) => {
    const value = first?.step(frame)
    if (!(value instanceof CelOptional)) throw noSuchOverload()
    if (value.value === undefined) return second?.step(frame) as CelValue
    return keepsOptional ? value : value.value
  }
}

const regexFunctions = new Set(['matches', 'find', 'findAll'])

/** Checks a constant pattern. */
function checkPattern(pattern: Planned | undefined): void {
  if (typeof pattern?.constant === 'string') cachedRegex(pattern.constant)
}

function constant(value: CelValue): Planned {
  return { constant: value, step: () => value }
}

function charged(read: Step): Step {
  return (frame) => {
    frame.charge(1)
    return read(frame)
  }
}

/** A variable's content as a branch or key belongs to the enclosing read, and its name is not charged again. */
function asPart({ step, attribute }: Planned): Step {
  if (!attribute) return step
  return (frame) => {
    const value = step(frame)
    frame.cost--
    return value
  }
}

function chargedIfFound(frame: Frame, found: CelOptional): CelOptional {
  if (found.value !== undefined) frame.charge(1)
  return found
}

/** `x in [1, 2, 3]`: a lookup in a constant list is free. */
function constantMembership([needle, haystack]: readonly Planned[]): Step | undefined {
  const list = haystack?.constant
  if (needle === undefined || !(list instanceof CelList) || list.length === 0) return undefined
  return (frame) => contains(list, needle.step(frame))
}

function selectField(value: CelValue, name: string): CelValue {
  if (value instanceof CelMap) {
    const found = value.field(name)
    if (found !== undefined) return found
  } else if (value instanceof CelOptional) {
    return value.value === undefined ? none : optionalIndex(value.value, name)
  }
  throw new CelEvalError(`no such key: ${name}`)
}

function hasField(value: CelValue, name: string): boolean {
  if (value instanceof CelOptional) return value.value !== undefined && hasField(value.value, name)
  return value instanceof CelMap && value.field(name) !== undefined
}

function indexed(container: CelValue, key: CelValue): CelValue {
  if (container instanceof CelList) return listItem(container, key)
  if (container instanceof CelMap) return mapValue(container, key)
  throw noSuchKey(key)
}

function notOptional(value: CelValue): CelEvalError {
  return new CelEvalError(`cannot initialize optional list element from non-optional value ${String(value)}`)
}
