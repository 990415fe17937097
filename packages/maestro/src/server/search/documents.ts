import { type Columns, findColumn } from './columns.js'
import type { Condition, Operand } from './expression.js'

/** What a condition reads of a row besides its columns: nothing, the metadata of the work, or all documents. */
export type Reads = 'columns' | 'metadata' | 'all'

const ORDER: readonly Reads[] = ['columns', 'metadata', 'all']

export function readsOf(condition: Condition, columns: Columns): Reads {
  switch (condition.type) {
    case 'and':
    case 'or':
      return mostOf(condition.parts.map((part) => readsOf(part, columns)))
    case 'not':
      return readsOf(condition.part, columns)
    case 'compare':
      return mostOf([condition.left, condition.right].map((operand) => readsOfOperand(operand, columns)))
    default:
      return readsOfOperand(condition.left, columns)
  }
}

/** The parts of a condition that read columns only and have to be true for each row that matches. */
export function narrowingOf(condition: Condition, columns: Columns): Condition | undefined {
  if (condition.type !== 'and') return undefined
  const parts = condition.parts.filter((part) => readsOf(part, columns) === 'columns')
  return parts.length > 1 ? { type: 'and', parts } : parts[0]
}

function readsOfOperand(operand: Operand, columns: Columns): Reads {
  if (operand.type === 'literal') return 'columns'
  if (operand.type === 'arithmetic') {
    return mostOf([operand.left, operand.right].map((side) => readsOfOperand(side, columns)))
  }
  if (findColumn(columns, operand.name)?.type !== 'json') return 'columns'
  return operand.path[0] === 'metadata' ? 'metadata' : 'all'
}

function mostOf(reads: readonly Reads[]): Reads {
  return ORDER[Math.max(0, ...reads.map((one) => ORDER.indexOf(one)))] as Reads
}
