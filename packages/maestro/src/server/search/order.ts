import { MaestroError } from '../errors.js'
import { type Columns, findColumn, unknownColumn } from './columns.js'

const TERM = /^([\w.]+)(?:\s+(asc|desc))?$/i

/**
 * The order of a list as SQL. The id decides between equal rows, and alone if nothing is asked for: pages of a list
 * then neither repeat nor skip rows that do not change. Throws a 400 for terms that are not a column and a direction.
 */
export function orderOf(orderBy: string, columns: Columns): string {
  const terms = orderBy
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map((term) => orderTerm(term, columns))
  return [...terms, 'id'].join(', ')
}

function orderTerm(term: string, columns: Columns): string {
  const [, name = '', direction = 'asc'] = TERM.exec(term) ?? []
  if (name === '') throw new MaestroError('BadRequest', `bad order value '${term}'`)
  const column = findColumn(columns, name)
  if (column === undefined) {
    throw new MaestroError('BadRequest', `bad order value '${term}': ${unknownColumn(columns, name)}`)
  }
  if (column.type === 'json') {
    throw new MaestroError('BadRequest', `bad order value '${term}': column '${name}' is JSON and has no order`)
  }
  return `${column.sql} ${direction.toUpperCase()}`
}
