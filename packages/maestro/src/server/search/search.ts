import { MaestroError } from '../errors.js'
import type { Columns } from './columns.js'
import { narrowingOf, type Reads, readsOf } from './documents.js'
import { parseSearch } from './parser.js'
import { SearchError } from './search-error.js'
import { type SqlCondition, sqlOf } from './sql.js'

export interface SearchCondition extends SqlCondition {
  /** Set if the condition reads documents, with what rows that match fulfil as well. */
  readonly documents?: { readonly reads: Exclude<Reads, 'columns'>; readonly narrowed: SqlCondition | undefined }
}

/**
 * The condition of a `search` parameter. Maestro chooses the grammar by the operators in the text. Throws a 400 that
 * names the position and the problem.
 */
export function searchCondition(search: string, columns: Columns): SearchCondition {
  const dialect = search.includes('->>') || search.includes('@>') ? 'json' : 'tree'
  try {
    const condition = parseSearch(search, dialect)
    const sql = sqlOf(condition, columns)
    const reads = readsOf(condition, columns)
    if (reads === 'columns') return sql
    const narrowing = narrowingOf(condition, columns)
    return { ...sql, documents: { reads, narrowed: narrowing && sqlOf(narrowing, columns) } }
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    const reason =
      dialect === 'json'
        ? `failed to parse the search query: ${error.message}`
        : `Failed to parse search query: ${search}: ${error.message}`
    throw new MaestroError('BadRequest', reason, { cause: error })
  }
}
