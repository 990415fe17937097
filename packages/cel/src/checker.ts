import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr } from './ast.js'
import type { Environment } from './environment.js'
import type { IssueList } from './issue.js'
import type { Overload } from './overload.js'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  fieldOf,
  formatSignature,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  paramType,
  sameType,
  stringType,
  typeTypeOf,
  uintType,
} from './type.js'
import { isMoreGeneral, TypeBindings } from './unify.js'
import { CelDouble, CelUint, type CelValue, isInt } from './values/value.js'

/** The facts that the checker found about an expression, by node id. */
export interface Checked {
  readonly types: ReadonlyMap<number, CelType>
  /** The possible overloads of a call. */
  readonly overloads: ReadonlyMap<number, readonly Overload[]>
  /** Identifiers, and selections that form a dotted name: the variable or type they refer to. */
  readonly names: ReadonlyMap<number, NameReference>
  /** Calls whose target is the first part of a function's name. */
  readonly namespaced: ReadonlySet<number>
}

export type NameReference =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'type'; readonly value: CelType }

/** Infers the type of every part of an expression, and reports type errors. */
export function check(expr: Expr, environment: Environment, issues: IssueList): Checked {
  const checker = new Checker(environment, issues)
  checker.check(expr)
  return checker.finish()
}

class Checker {
  readonly #environment: Environment
  readonly #issues: IssueList
  readonly #bindings = new TypeBindings()
  readonly #types = new Map<number, CelType>()
  readonly #overloads = new Map<number, readonly Overload[]>()
  readonly #names = new Map<number, NameReference>()
  readonly #namespaced = new Set<number>()
  /** Variables of the enclosing folds, innermost last. */
  readonly #scopes: { name: string; type: CelType }[] = []

  constructor(environment: Environment, issues: IssueList) {
    this.#environment = environment
    this.#issues = issues
  }

  finish(): Checked {
    for (const [id, type] of this.#types) this.#types.set(id, this.#bindings.resolve(type, true))
    return { types: this.#types, overloads: this.#overloads, names: this.#names, namespaced: this.#namespaced }
  }

  check(expr: Expr): CelType {
    const known = this.#types.get(expr.id)
    if (known !== undefined) return known
    const type = this.#typeOf(expr)
    this.#types.set(expr.id, type)
    return type
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.type) {
      case 'literal':
        return literalType(expr.value)
      case 'ident':
        return this.#name(expr.id, expr.name) ?? this.#undeclared(expr, expr.name)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'struct':
        return this.#undeclared(expr, expr.name)
      case 'fold':
        return this.#fold(expr)
    }
  }

  #name(id: number, written: string): CelType | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written
    const local = written === name ? this.#scopes.findLast((scope) => scope.name === name) : undefined
    const variable = local?.type ?? this.#environment.variables.get(name)
    if (variable !== undefined) {
      this.#names.set(id, { type: 'variable', name })
      return variable
    }
    const type = this.#environment.types.get(name)
    if (type === undefined) return undefined
    this.#names.set(id, { type: 'type', value: type })
    return typeTypeOf(type)
  }

  #select(expr: SelectExpr): CelType {
    const dotted = expr.test ? undefined : dottedName(expr)
    const named = dotted === undefined ? undefined : this.#name(expr.id, dotted)
    if (named !== undefined) return named
    const type = this.#field(expr, expr.operand, expr.field, false)
    return expr.test ? boolType : type
  }

  #field(expr: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.#bindings.resolve(this.check(operand))
    const isOptional = operandType.kind === 'optional'
    const target = isOptional ? (operandType.params[0] as CelType) : operandType
    const found = this.#fieldOf(expr, target, field)
    return isOptional || optional ? optionalType(found) : found
  }

  #fieldOf(expr: Expr, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.params[1] as CelType
      case 'object': {
        const known = fieldOf(target, field)
        if (known !== undefined) return known.type
        return this.#report(expr, `undefined field '${field}'`)
      }
      case 'param':
        this.#bindings.assignable(dynType, target)
        return dynType
      case 'dyn':
      case 'error':
        return dynType
      default:
        this.#report(expr, `type '${formatType(target)}' does not support field selection`)
        return dynType
    }
  }

  #call(expr: CallExpr): CelType {
    if (expr.name === '_?._') return this.#optionalSelect(expr)
    for (const arg of expr.args) this.check(arg)
    const { target } = expr
    if (target === undefined) {
      const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name
      const overloads = this.#environment.functions.get(name)
      return overloads === undefined
        ? this.#undeclared(expr, expr.name)
        : this.#resolve(expr, name, overloads, undefined)
    }
    const prefix = dottedName(target)
    const qualified = prefix === undefined ? undefined : `${prefix}.${expr.name}`.replace(/^\./, '')
    const namespaced = qualified === undefined ? undefined : this.#environment.functions.get(qualified)
    if (qualified !== undefined && namespaced !== undefined) {
      this.#namespaced.add(expr.id)
      return this.#resolve(expr, qualified, namespaced, undefined)
    }
    this.check(target)
    const overloads = this.#environment.functions.get(expr.name)
    return overloads === undefined
      ? this.#undeclared(expr, expr.name)
      : this.#resolve(expr, expr.name, overloads, target)
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args
    const name = field?.type === 'literal' ? field.value : undefined
    if (operand === undefined || typeof name !== 'string')
      return this.#report(expr, 'unsupported optional field selection')
    return this.#field(expr, operand, name, true)
  }

  #resolve(expr: CallExpr, name: string, overloads: readonly Overload[], target: Expr | undefined): CelType {
    const operands = target === undefined ? expr.args : [target, ...expr.args]
    const args = operands.map((operand) => this.#types.get(operand.id) as CelType)
    if (name === '_&&_' || name === '_||_') return this.#logical(expr, overloads, args)

    const matching: Overload[] = []
    let result: CelType | undefined
    for (const candidate of overloads) {
      if (candidate.member !== (target !== undefined)) continue
      const rename = this.#freshVariables(candidate)
      if (!this.#bindings.assignableList(args, candidate.args.map(rename))) continue
      matching.push(candidate)
      const type = this.#bindings.resolve(rename(candidate.result))
      if (result === undefined) result = type
      else if (result.kind !== 'dyn' && !sameType(type, result)) result = dynType
    }
    if (result === undefined) {
      const shown = args.map((type) => this.#bindings.resolve(type, true))
      const signature = formatSignature(shown, target !== undefined)
      return this.#report(expr, `found no matching overload for '${name}' applied to '${signature}'`)
    }
    this.#overloads.set(expr.id, matching)
    return result
  }

  #logical(expr: CallExpr, overloads: readonly Overload[], args: readonly CelType[]): CelType {
    let fits = true
    args.forEach((type, index) => {
      if (this.#bindings.assignable(type, boolType)) return
      this.#mismatch(expr.args[index] as Expr, boolType, type)
      fits = false
    })
    this.#overloads.set(expr.id, overloads)
    return fits ? boolType : errorType
  }

  /** Type variables of an overload are new in each call. */
  #freshVariables(overload: Overload): (type: CelType) => CelType {
    if (overload.variables.length === 0) return (type) => type
    const fresh = new Map(overload.variables.map((name) => [name, this.#bindings.fresh()]))
    const rename = (type: CelType): CelType => {
      if (type.kind === 'param') return fresh.get(type.name) ?? paramType(type.name)
      return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) }
    }
    return rename
  }

  #list(expr: ListExpr): CelType {
    let joined: CelType | undefined
    expr.items.forEach((item, index) => {
      const type = this.#maybeOptional(item, this.check(item), expr.optional.has(index))
      joined = this.#join(joined, type)
    })
    return listType(joined ?? this.#bindings.fresh())
  }

  #map(expr: MapExpr): CelType {
    let keys: CelType | undefined
    let values: CelType | undefined
    for (const { key, value, optional } of expr.entries) {
      keys = this.#join(keys, this.check(key))
      values = this.#join(values, this.#maybeOptional(value, this.check(value), optional))
    }
    return mapType(keys ?? this.#bindings.fresh(), values ?? this.#bindings.fresh())
  }

  #maybeOptional(expr: Expr, type: CelType, optional: boolean): CelType {
    if (!optional || type.kind === 'dyn') return type
    if (type.kind === 'optional') return type.params[0] as CelType
    this.#mismatch(expr, optionalType(type), type)
    return type
  }

  /** The type of a literal's items. The validator checks that they have one type. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type
    if (this.#bindings.assignable(before, type)) return isMoreGeneral(before, type) ? before : type
    return dynType
  }

  #fold(expr: FoldExpr): CelType {
    const range = this.#bindings.resolve(this.check(expr.range))
    const accumulator = this.check(expr.initial)
    const [first, second] = this.#loopVariables(expr, range)
    this.#scopes.push({ name: expr.accumulator, type: accumulator }, { name: expr.variable, type: first })
    if (expr.variable2 !== undefined) this.#scopes.push({ name: expr.variable2, type: second })
    this.#assertType(expr.condition, boolType)
    this.#assertType(expr.step, accumulator)
    this.#scopes.length -= expr.variable2 === undefined ? 1 : 2
    const result = this.check(expr.result)
    this.#scopes.pop()
    return this.#bindings.resolve(result)
  }

  #loopVariables({ range: expr, variable2 }: FoldExpr, range: CelType): [CelType, CelType] {
    switch (range.kind) {
      case 'list': {
        const item = range.params[0] as CelType
        return variable2 === undefined ? [item, item] : [intType, item]
      }
      case 'map':
        return [range.params[0] as CelType, range.params[1] as CelType]
      case 'dyn':
      case 'error':
      case 'param':
        this.#bindings.assignable(dynType, range)
        return [dynType, dynType]
      default: {
        const shown = formatType(range)
        const rule = 'cannot be range of a comprehension (must be list, map, or dynamic)'
        this.#report(expr, `expression of type '${shown}' ${rule}`)
        return [errorType, errorType]
      }
    }
  }

  #assertType(expr: Expr, expected: CelType): void {
    const type = this.check(expr)
    if (!this.#bindings.assignable(expected, type)) this.#mismatch(expr, expected, type)
  }

  #mismatch(expr: Expr, expected: CelType, actual: CelType): CelType {
    const shown = [expected, actual].map((type) => formatType(type))
    return this.#report(expr, `expected type '${shown[0]}' but found '${shown[1]}'`)
  }

  #undeclared(expr: Expr, name: string): CelType {
    return this.#report(expr, `undeclared reference to '${name}' (in container '')`)
  }

  #report(expr: Expr, message: string): CelType {
    this.#issues.report(expr.at, message)
    return errorType
  }
}

/** `a.b.c` as one name, if it can be. */
function dottedName(expr: Expr): string | undefined {
  if (expr.type === 'ident') return expr.name
  if (expr.type !== 'select' || expr.test) return undefined
  const prefix = dottedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}

function literalType(value: CelValue): CelType {
  if (value === null) return nullType
  if (typeof value === 'boolean') return boolType
  if (typeof value === 'string') return stringType
  if (isInt(value)) return intType
  if (value instanceof CelUint) return uintType
  return value instanceof CelDouble ? doubleType : bytesType
}
