import type { Offset } from './issue.js'
import type { CelValue } from './values/value.js'

/**
 * An expression after macros have been expanded. Every node has an id, by which what is learned about it is kept.
 * A macro may use an argument twice, so a node can have two parents: walks must not visit it twice, or a chain of
 * such macros takes exponential time.
 */
export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | FoldExpr

interface Node {
  readonly id: number
  readonly at: Offset
}

export interface LiteralExpr extends Node {
  readonly type: 'literal'
  readonly value: CelValue
}

export interface IdentExpr extends Node {
  readonly type: 'ident'
  readonly name: string
}

export interface SelectExpr extends Node {
  readonly type: 'select'
  readonly operand: Expr
  readonly field: string
  /** `has(a.b)`: asks whether the field is there. */
  readonly test: boolean
}

export interface CallExpr extends Node {
  readonly type: 'call'
  readonly name: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

export interface ListExpr extends Node {
  readonly type: 'list'
  readonly items: readonly Expr[]
  /** Which items are `?x`: left out when empty. */
  readonly optional: ReadonlySet<number>
}

export interface MapExpr extends Node {
  readonly type: 'map'
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[]
}

/** A typed object literal, `Type{field: value}`. No type that can be made this way is declared, so only its name is kept. */
export interface StructExpr extends Node {
  readonly type: 'struct'
  readonly name: string
}

/**
 * What the collection macros become: goes through a list or map, from `initial`, while `condition` holds,
 * making each `step` the new value of the accumulator, and gives `result`.
 */
export interface FoldExpr extends Node {
  readonly type: 'fold'
  readonly range: Expr
  readonly variable: string
  /** With two variables the first is the index or key, the second the value. */
  readonly variable2: string | undefined
  readonly accumulator: string
  readonly initial: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** The name that macros give the accumulator: no expression can spell it. */
export const ACCUMULATOR = '@result'
