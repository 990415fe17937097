import type { CallExpr, Expr, ListExpr, MapExpr } from './ast.js'
import type { Checked } from './checker.js'
import type { Clause, FormatStyle } from './format-style.js'
import type { IssueList } from './issue.js'
import { cachedRegex } from './library/regex.js'
import { cannotShow, kindsFor, parseFormat } from './library/string-format.js'
import { parseCelDuration, parseTimestamp } from './library/time.js'
import { type CelType, formatType, sameType } from './type.js'
import { CelEvalError } from './values/value.js'

export interface Rules {
  /** Whether items of a literal must have one type, and constants must be valid for their conversion. */
  readonly strict: boolean
  readonly formatStyle: FormatStyle | undefined
}

/** Reports what is certain to fail, or not allowed, though its types are right. */
export function validate(expr: Expr, checked: Checked, rules: Rules, issues: IssueList): void {
  new Validator(checked, rules, issues).visit(expr, !rules.strict)
}

const literalArguments: ReadonlyMap<string, (text: string) => unknown> = new Map<string, (text: string) => unknown>([
  ['duration', parseCelDuration],
  ['timestamp', parseTimestamp],
  ['matches', cachedRegex],
])

class Validator {
  readonly #checked: Checked
  readonly #rules: Rules
  readonly #issues: IssueList
  readonly #visited = new Set<number>()

  constructor(checked: Checked, rules: Rules, issues: IssueList) {
    this.#checked = checked
    this.#rules = rules
    this.#issues = issues
  }

  /** `mixed`: a list may contain values of several types, as in the arguments of `format`. */
  visit(expr: Expr, mixed: boolean): void {
    if (this.#visited.has(expr.id)) return
    this.#visited.add(expr.id)
    switch (expr.type) {
      case 'select':
        this.visit(expr.operand, mixed)
        break
      case 'call':
        this.#call(expr, mixed)
        break
      case 'list':
        if (!mixed) this.#list(expr)
        for (const item of expr.items) this.visit(item, mixed)
        break
      case 'map':
        if (!mixed) this.#map(expr)
        for (const { key, value } of expr.entries) {
          this.visit(key, mixed)
          this.visit(value, mixed)
        }
        break
      case 'fold':
        for (const part of [expr.range, expr.initial, expr.condition, expr.step, expr.result]) this.visit(part, mixed)
    }
  }

  #call(expr: CallExpr, mixed: boolean): void {
    const { name, target, args } = expr
    const inside = mixed || name === 'format'
    if (target !== undefined) this.visit(target, inside)
    for (const arg of args) this.visit(arg, inside)
    if (this.#rules.strict) this.#literalArgument(expr)
    const [list] = args
    if (name === 'format' && target?.type === 'literal' && typeof target.value === 'string' && list?.type === 'list') {
      this.#format(expr, target.value, list)
    }
  }

  #literalArgument({ name, target, args }: CallExpr): void {
    const parse = literalArguments.get(name)
    const arg = args[name === 'matches' && target === undefined ? 1 : 0]
    if (parse === undefined || arg?.type !== 'literal') return
    try {
      if (typeof arg.value === 'string') parse(arg.value)
      else if (name === 'duration') throw new CelEvalError('a duration literal is a string')
    } catch (error) {
      if (!(error instanceof CelEvalError)) throw error
      this.#issues.report(arg.at, `invalid ${name} argument`)
    }
  }

  #list({ items, optional }: ListExpr): void {
    this.#sameTypes(items, (index) => optional.has(index))
  }

  #map({ entries }: MapExpr): void {
    this.#sameTypes(
      entries.map(({ key }) => key),
      () => false,
    )
    this.#sameTypes(
      entries.map(({ value }) => value),
      (index) => entries[index]?.optional === true,
    )
  }

  #sameTypes(exprs: readonly Expr[], isOptional: (index: number) => boolean): void {
    let expected: CelType | undefined
    for (const [index, expr] of exprs.entries()) {
      const type = this.#checked.types.get(expr.id) as CelType
      const actual = isOptional(index) ? (type.params[0] ?? type) : type
      expected ??= actual
      if (!sameType(expected, actual)) {
        this.#issues.report(expr.at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
        return
      }
    }
  }

  #format(expr: CallExpr, text: string, { items }: ListExpr): void {
    try {
      const clauses = parseFormat(text).filter((part): part is Clause => typeof part !== 'string')
      clauses.forEach((clause, index) => {
        const item = items[index]
        if (item === undefined) throw new CelEvalError(`index ${index} out of range`)
        this.#clause(clause, item)
      })
      if (items.length > clauses.length) {
        const counts = `(expected ${clauses.length}, got ${items.length})`
        this.#issues.report(expr.at, `too many arguments supplied to string.format ${counts}`)
      }
    } catch (error) {
      if (!(error instanceof CelEvalError)) throw error
      this.#issues.report(expr.at, error.message)
    }
  }

  #clause({ letter }: Clause, item: Expr): void {
    const type = this.#checked.types.get(item.id) as CelType
    const { formatStyle } = this.#rules
    if (formatStyle === undefined || kindsFor(formatStyle, letter)?.has(type.kind)) return
    this.#issues.report(item.at, cannotShow(formatStyle, letter, type.name).message)
  }
}
