import type { Offset } from './issue.js'
import type { CelValue } from './values/value.js'

/**
 * An expression after macro expansion. Every node has an id, by which facts about it are stored. A macro may use an
 * argument twice, so a node can have two parents: traversals must not visit it twice, or a chain of such macros takes
 * exponential time.
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
  /** `has(a.b)`: tests whether the field exists. */
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
  /** The items that are `?x`: omitted if empty. */
  readonly optional: ReadonlySet<number>
}

export interface MapExpr extends Node {
  readonly type: 'map'
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[]
}

/**
 * A typed object literal, `Type{field: value}`. No declared type can be constructed this way, so only its name is
 * kept.
 */
export interface StructExpr extends Node {
  readonly type: 'struct'
  readonly name: string
}

/**
 * The expansion of the collection macros: iterates over a list or map, starting from `initial`, while `condition` is
 * true; each `step` is the new value of the accumulator; returns `result`.
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

/** The accumulator's name in macros: no expression can contain it. */
export const ACCUMULATOR = '@result'
