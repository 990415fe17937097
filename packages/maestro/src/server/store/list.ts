import type { Query } from './database.js'

/** What the REST API lists. The texts are SQL of the server's own making: values of clients are in `values`. */
export interface ListQuery {
  /** A condition with the placeholders `$1`, `$2`, … for its values. */
  readonly where?: Where & {
    /** Set if the condition reads documents of rows, with a condition on columns that all rows that match fulfil. */
    readonly documents?: { readonly reads: 'metadata' | 'all'; readonly narrowed: Where | undefined }
  }
  /** Such as `created_at, id`. Ends with a unique column, so that pages are stable. */
  readonly orderBy: string
  readonly limit: number
  readonly offset: number
}

interface Where {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface ListResult<T> {
  readonly rows: T[]
  /** All that match, on every page. */
  readonly total: number
}

export async function countRows(query: Query, table: string, { where }: ListQuery): Promise<number> {
  const [row] = await query<{ total: string }>({
    text: `select count(*) total from ${table} ${condition(where)}`,
    values: where?.values ?? [],
  })
  return Number(row?.total ?? 0)
}

export function selectRows<Row extends object>(query: Query, table: string, columns: string, list: ListQuery) {
  const values = list.where?.values ?? []
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`]
  return query<Row>({
    text: `select ${columns} from ${table} ${condition(list.where)} order by ${list.orderBy} limit ${limit} offset ${offset}`,
    values: [...values, list.limit, list.offset],
  })
}

const condition = (where: ListQuery['where']) => (where === undefined ? '' : `where ${where.text}`)
