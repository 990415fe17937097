import { codePointCount } from '@orrery/kinds/values'
import type { CallExpr, Expr, FoldExpr } from './ast.js'
import type { Checked } from './checker.js'
import { LIST_COST, MAP_COST, STRUCT_COST } from './cost.js'
import { type CallSites, type Estimate, estimateCall, type Size, UNBOUNDED, unknownSize } from './estimate-rules.js'
import { isBinding } from './plan/fold.js'
import type { CelType } from './type.js'
import type { CelValue } from './values/value.js'

/** Sizes of a container's content. */
interface Contents {
  readonly kind: 'list' | 'map'
  readonly key: Size
  readonly value: Size
}

interface Local {
  readonly name: string
  readonly size: Size | undefined
  readonly contents: Contents | undefined
}

/**
 * The maximum cost of an expression, given the maximum size of the declared types. The rules are those of cel-go and
 * Kubernetes, so that both reject the same expressions.
 */
export function estimateCost(expr: Expr, checked: Checked): number {
  return new Estimator(checked).cost(expr)
}

class Estimator implements CallSites {
  readonly #checked: Checked
  readonly #costs = new Map<number, number>()
  readonly #sizes = new Map<number, Size>()
  readonly #contents = new Map<number, Contents>()
  readonly #locals: Local[] = []

  constructor(checked: Checked) {
    this.#checked = checked
  }

  cost(expr: Expr): number {
    const known = this.#costs.get(expr.id)
    if (known !== undefined) return known
    const cost = Math.min(this.#newCost(expr), UNBOUNDED)
    this.#costs.set(expr.id, cost)
    return cost
  }

  #newCost(expr: Expr): number {
    switch (expr.type) {
      case 'literal':
        return 0
      case 'ident':
        return 1
      case 'select': {
        // A dotted name is one name.
        if (this.#checked.names.has(expr.id)) return 1
        const operand = this.cost(expr.operand)
        const { kind } = this.typeOf(expr.operand)
        return operand + (!expr.test && (kind === 'map' || kind === 'object' || kind === 'param') ? 1 : 0)
      }
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr.id, expr.items)
      case 'map':
        return this.#map(expr.id, expr.entries)
      case 'struct':
        return STRUCT_COST
      case 'fold':
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr)
    }
  }

  typeOf(expr: Expr): CelType {
    return this.#checked.types.get(expr.id) as CelType
  }

  size(expr: Expr): Size {
    return this.#knownSize(expr) ?? unknownSize
  }

  itemSize(list: Expr): Size {
    const declared = this.typeOf(list).params[0]?.data?.maxElements
    return this.#contentsOf(list)?.value ?? (declared === undefined ? unknownSize : { min: 0, max: declared })
  }

  #call(expr: CallExpr): number {
    const namespaced = this.#checked.namespaced.has(expr.id)
    const target = namespaced ? undefined : expr.target
    const args = expr.args.map((arg) => this.cost(arg))
    if (expr.name === 'dyn') {
      this.#copySize(expr, expr.args[0] as Expr)
      return 1 + (args[0] ?? 0)
    }
    const overloads = this.#checked.overloads.get(expr.id) ?? []
    const targetCost = target === undefined ? 0 : this.cost(target)
    if (expr.name === '_?._') return 1 + (args[0] ?? 0)
    let most = 0
    let size: Size | undefined
    for (const overload of overloads) {
      const estimate = this.#overload(expr, overload.id, overload.function, target, args)
      most = Math.max(most, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size)
      if (overload.id === 'index_list' || overload.id === 'index_map') {
        size = this.#contentsOf(expr.args[0] as Expr)?.value
      }
    }
    size ??= this.#knownSize(expr)
    if (size !== undefined) this.#sizes.set(expr.id, size)
    return Math.min(targetCost + most, UNBOUNDED)
  }

  #overload(expr: CallExpr, id: string, name: string, target: Expr | undefined, args: readonly number[]): Estimate {
    const [first = 0, second = 0, third = 0] = args
    switch (id) {
      case 'logical_and':
      case 'logical_or':
        return { cost: first + second }
      case 'conditional': {
        const [, then, otherwise] = expr.args as [Expr, Expr, Expr]
        this.#joinContents(expr, then, otherwise)
        return { cost: first + Math.max(second, third), size: union(this.size(then), this.size(otherwise)) }
      }
      case 'add_list':
      case 'add_string':
      case 'add_bytes':
        this.#joinContents(expr, expr.args[0] as Expr, expr.args[1] as Expr)
    }
    const sum = args.reduce((total, arg) => total + arg, 0)
    const estimate = estimateCall(this, id, name, target, expr.args)
    return { ...estimate, cost: Math.min(estimate.cost + sum, UNBOUNDED) }
  }

  #list(id: number, items: readonly Expr[]): number {
    const cost = items.reduce((sum, item) => sum + this.cost(item), LIST_COST)
    this.#contents.set(id, { kind: 'list', key: { min: 1, max: 1 }, value: this.#unionOf(items) })
    return cost
  }

  #map(id: number, entries: readonly { readonly key: Expr; readonly value: Expr }[]): number {
    const cost = entries.reduce((sum, { key, value }) => sum + this.cost(key) + this.cost(value), MAP_COST)
    const key = this.#unionOf(entries.map((entry) => entry.key))
    this.#contents.set(id, { kind: 'map', key, value: this.#unionOf(entries.map((entry) => entry.value)) })
    return cost
  }

  #unionOf(exprs: readonly Expr[]): Size {
    const [first, ...rest] = exprs.map((expr) => this.size(expr))
    return rest.reduce(union, first ?? { min: 0, max: 0 })
  }

  #fold(expr: FoldExpr): number {
    const outside = this.cost(expr.range) + this.cost(expr.initial)
    const initial: Local = {
      name: expr.accumulator,
      size: this.#knownSize(expr.initial),
      contents: this.#contentsOf(expr.initial),
    }
    this.#locals.push(initial)
    const variables = this.#loopVariables(expr)
    this.#locals.push(...variables)
    const turn = this.cost(expr.condition) + this.cost(expr.step)
    this.#locals.length -= variables.length
    const result = this.cost(expr.result)
    this.#locals.pop()

    const turns = this.size(expr.range)
    this.#foldResult(expr, turns)
    return Math.min(outside + result + turns.max * turn, UNBOUNDED)
  }

  #loopVariables({ range, variable, variable2 }: FoldExpr): Local[] {
    const contents = this.#contentsOf(range)
    const isList = (contents?.kind ?? this.typeOf(range).kind) === 'list'
    const local = (name: string, size: Size | undefined): Local => ({ name, size, contents: undefined })
    if (variable2 !== undefined) return [local(variable, contents?.key), local(variable2, contents?.value)]
    return [local(variable, isList ? contents?.value : contents?.key)]
  }

  /** The result is as large as what it was collected from. */
  #foldResult(expr: FoldExpr, turns: Size): void {
    if (expr.initial.type === 'list' || expr.initial.type === 'map') {
      this.#sizes.set(expr.id, turns)
      const contents = this.#contents.get(expr.step.id)
      if (contents !== undefined) this.#contents.set(expr.id, contents)
    } else if (expr.initial.type === 'literal') {
      this.#sizes.set(expr.id, this.size(expr.initial))
    }
  }

  #binding(expr: FoldExpr): number {
    const value = LIST_COST + this.cost(expr.initial)
    this.#locals.push({
      name: expr.accumulator,
      size: this.#knownSize(expr.initial),
      contents: this.#contentsOf(expr.initial),
    })
    const result = this.cost(expr.result)
    this.#locals.pop()
    this.#copySize(expr, expr.result)
    return value + result
  }

  #knownSize(expr: Expr): Size | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr)
    if (known !== undefined) return known
    const type = this.typeOf(expr)
    const declared = sizedType(expr, type)?.data?.maxElements
    if (declared !== undefined) return { min: 0, max: declared }
    if (isScalar(type)) return { min: 1, max: 1 }
    return this.#local(expr)?.size
  }

  #contentsOf(expr: Expr): Contents | undefined {
    return this.#contents.get(expr.id) ?? this.#local(expr)?.contents
  }

  #local(expr: Expr): Local | undefined {
    return expr.type === 'ident' ? this.#locals.findLast(({ name }) => name === expr.name) : undefined
  }

  #copySize(to: Expr, from: Expr): void {
    const size = this.#knownSize(from)
    if (size !== undefined) this.#sizes.set(to.id, size)
    const contents = this.#contentsOf(from)
    if (contents !== undefined) this.#contents.set(to.id, contents)
  }

  #joinContents(to: Expr, a: Expr, b: Expr): void {
    const left = this.#contentsOf(a)
    const right = this.#contentsOf(b)
    if (left === undefined || right === undefined) return
    this.#contents.set(to.id, {
      kind: left.kind,
      key: union(left.key, right.key),
      value: union(left.value, right.value),
    })
  }
}

function union(a: Size, b: Size): Size {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}

function literalSize(expr: Expr): Size | undefined {
  const length = expr.type === 'literal' ? valueSize(expr.value) : containerSize(expr)
  return length === undefined ? undefined : { min: length, max: length }
}

function containerSize(expr: Expr): number | undefined {
  if (expr.type === 'list') return expr.items.length
  return expr.type === 'map' ? expr.entries.length : undefined
}

function valueSize(value: CelValue): number {
  if (typeof value === 'string') return codePointCount(value)
  return value instanceof Uint8Array ? value.length : 1
}

/** The type that bounds the value at a path. A named optional value is as large as its content may be. */
function sizedType(expr: Expr, type: CelType): CelType | undefined {
  if (expr.type === 'ident' || expr.type === 'select') return type.kind === 'optional' ? type.params[0] : type
  return expr.type === 'call' && expr.name === '_[_]' ? type : undefined
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.params[0] as CelType)
  return ['bool', 'int', 'uint', 'double', 'timestamp', 'duration'].includes(type.kind)
}
