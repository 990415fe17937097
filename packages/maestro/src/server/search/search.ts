import { MaestroError } from '../errors.js'
import type { Columns } from './columns.js'
import { parseSearch } from './parser.js'
import { SearchError } from './search-error.js'
import { type SqlCondition, sqlOf } from './sql.js'

/**
 * The condition of a `search` parameter. Maestro chooses the grammar by the operators in the text. Throws a 400 that
 * names the position and the problem.
 */
export function searchCondition(search: string, columns: Columns): SqlCondition {
  const dialect = search.includes('->>') || search.includes('@>') ? 'json' : 'tree'
  try {
    return sqlOf(parseSearch(search, dialect), columns)
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    const reason =
      dialect === 'json'
        ? `failed to parse the search query: ${error.message}`
        : `Failed to parse search query: ${search}: ${error.message}`
    throw new MaestroError('BadRequest', reason, { cause: error })
  }
}
