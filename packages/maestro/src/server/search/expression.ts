export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>='
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'

interface Positioned {
  /** The position in the search, from 1. */
  readonly at: number
}

export interface ColumnOperand extends Positioned {
  readonly type: 'column'
  readonly name: string
  /** Keys below a JSON column. */
  readonly path: readonly string[]
  /** Whether the last step is `->>`: the value as text. */
  readonly isText: boolean
}

export interface LiteralOperand extends Positioned {
  readonly type: 'literal'
  readonly value: string | number
}

export interface ArithmeticOperand extends Positioned {
  readonly type: 'arithmetic'
  readonly operator: ArithmeticOperator
  readonly left: Operand
  readonly right: Operand
}

export type Operand = ColumnOperand | LiteralOperand | ArithmeticOperand

export type Condition =
  | { readonly type: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly type: 'not'; readonly part: Condition }
  | (Positioned & {
      readonly type: 'compare'
      readonly operator: ComparisonOperator
      readonly left: Operand
      readonly right: Operand
    })
  | (Positioned & {
      readonly type: 'like'
      readonly left: Operand
      readonly pattern: LiteralOperand
      readonly ignoresCase: boolean
      readonly negated: boolean
    })
  | (Positioned & { readonly type: 'null'; readonly left: Operand; readonly negated: boolean })
  | (Positioned & {
      readonly type: 'same'
      readonly left: Operand
      readonly right: LiteralOperand
      readonly negated: boolean
    })
  | (Positioned & {
      readonly type: 'between'
      readonly left: Operand
      readonly low: LiteralOperand
      readonly high: LiteralOperand
      readonly negated: boolean
    })
  | (Positioned & {
      readonly type: 'in'
      readonly left: Operand
      readonly values: readonly LiteralOperand[]
      readonly negated: boolean
    })
  | (Positioned & { readonly type: 'contains'; readonly left: Operand; readonly right: LiteralOperand })

export function isOperand(node: Condition | Operand): node is Operand {
  return node.type === 'column' || node.type === 'literal' || node.type === 'arithmetic'
}
