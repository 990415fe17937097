import { Slots } from '../../transport/slots.js'
import { MaestroError } from '../errors.js'
import type { Query } from './database.js'
import { type ListQuery, selectRows } from './list.js'

/** Searches at the same time, and those that wait. */
const RUNNING = 2
const MAX_WAITING = 64
/** Rows that are searched at once. The documents of a bundle can have some MB, its metadata 512 KiB. */
const ROWS = { metadata: 200, all: 10 } as const
const ALL_ROWS = 2 ** 31 - 1

/** Finds the bundles of searches of documents, a few at a time, so that others can use the database in between. */
export function documentSearches(query: Query): (list: ListQuery) => Promise<ListQuery> {
  const slots = new Slots(RUNNING)
  let waiting = 0

  async function search(list: ListQuery): Promise<ListQuery> {
    const { where } = list
    if (where?.documents === undefined) return list
    const { reads, narrowed } = where.documents
    const all = { orderBy: 'id', limit: ALL_ROWS, offset: 0, ...(narrowed && { where: narrowed }) }
    const ids = (await selectRows<{ id: string }>(query, 'resources', 'id', all)).map(({ id }) => id)
    // `offset 0` keeps the planner from evaluating the condition for other rows.
    const text = `select id from (select * from resources where id = any($${where.values.length + 1}::text[]) offset 0) resources
      where ${where.text}`
    const matching = async (part: readonly string[]) =>
      (await query<{ id: string }>({ text, values: [...where.values, part] })).map(({ id }) => id)
    const found: string[] = []
    const problems: unknown[] = []
    for (let start = 0; start < ids.length; start += ROWS[reads]) {
      const part = ids.slice(start, start + ROWS[reads])
      found.push(...(await matching(part).catch((error) => oneByOne(part, matching, error, problems))))
    }
    // A condition that cannot be evaluated for any bundle is a problem of the search.
    if (ids.length > 0 && problems.length === ids.length) throw problems[0]
    return { ...list, where: { text: 'id = any($1::text[])', values: [found] } }
  }

  return async (list) => {
    if (list.where?.documents === undefined) return list
    if (waiting >= MAX_WAITING) throw new MaestroError('Unavailable', 'too many searches of documents: retry later')
    waiting++
    try {
      return await slots.run(undefined, () => search(list))
    } finally {
      waiting--
    }
  }
}

/** Classes of PostgreSQL's errors about values, such as a character that it cannot compare. */
const BAD_VALUE = /^22/

/** One bundle with a value that PostgreSQL cannot evaluate does not match, and must not hide those of others. */
async function oneByOne(
  ids: readonly string[],
  matching: (ids: readonly string[]) => Promise<string[]>,
  error: unknown,
  problems: unknown[],
): Promise<string[]> {
  if (!BAD_VALUE.test(String((error as { code?: unknown }).code))) throw error
  const found: string[] = []
  for (const id of ids) {
    try {
      found.push(...(await matching([id])))
    } catch (problem) {
      problems.push(problem)
    }
  }
  return found
}
