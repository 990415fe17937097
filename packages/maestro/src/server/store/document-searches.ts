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
    const found: string[] = []
    for (let start = 0; start < ids.length; start += ROWS[reads]) {
      const values = [...where.values, ids.slice(start, start + ROWS[reads])]
      for (const { id } of await query<{ id: string }>({ text, values })) found.push(id)
    }
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
