import { randomUUID } from 'node:crypto'
import { isDNS1123Label } from '@orrery/kinds/values'
import { MaestroError } from '../errors.js'
import type { Database, Json } from './database.js'
import { countRows, type ListQuery, type ListResult, selectRows } from './list.js'

/** A cluster that bundles can be sent to. */
export interface Consumer {
  readonly id: string
  readonly name: string
  readonly labels?: Json
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface Consumers {
  /** Without a name, the name is the generated id. */
  create(consumer: { name?: string; labels?: Json }): Promise<Consumer>
  get(id: string): Promise<Consumer | undefined>
  /** Undefined if the consumer does not exist. */
  patchLabels(id: string, labels: Json): Promise<Consumer | undefined>
  /** Returns the name of the consumer; undefined if it does not exist. Fails while the consumer has bundles. */
  delete(id: string): Promise<string | undefined>
  list(query: ListQuery): Promise<ListResult<Consumer>>
}

interface ConsumerRow {
  readonly id: string
  readonly name: string
  readonly labels: Json | null
  readonly created_at: Date
  readonly updated_at: Date
}

const COLUMNS = 'id, name, labels, created_at, updated_at'
/** PostgreSQL's error codes for a row that others refer to: newer versions have one of their own for `restrict`. */
const REFERENCED: ReadonlySet<unknown> = new Set(['23503', '23001'])

export function consumersIn({ query }: Database): Consumers {
  return {
    async create({ name, labels }) {
      const id = randomUUID()
      const problems = name === undefined ? [] : isDNS1123Label(name)
      if (problems.length > 0) {
        throw new MaestroError(
          'Validation',
          `Unable to create Consumer: invalid name "${name}": ${problems.join(', ')}`,
        )
      }
      const [row] = await query<ConsumerRow>({
        text: `insert into consumers (id, name, labels) values ($1, $2, $3::json::jsonb)
          on conflict (name) do nothing returning ${COLUMNS}`,
        values: [id, name ?? id, labels ?? null],
      })
      if (row === undefined) throw new MaestroError('Conflict', 'This Consumer already exists')
      return consumerOf(row)
    },
    async get(id) {
      const [row] = await query<ConsumerRow>({
        name: 'consumer-by-id',
        text: `select ${COLUMNS} from consumers where id = $1`,
        values: [id],
      })
      return row && consumerOf(row)
    },
    async patchLabels(id, labels) {
      const [row] = await query<ConsumerRow>({
        text: `update consumers set labels = $2::json::jsonb, updated_at = now() where id = $1 returning ${COLUMNS}`,
        values: [id, labels],
      })
      return row && consumerOf(row)
    },
    async delete(id) {
      try {
        const text = 'delete from consumers where id = $1 returning name'
        const [row] = await query<{ name: string }>({ text, values: [id] })
        return row?.name
      } catch (error) {
        if (!REFERENCED.has((error as { code?: unknown }).code)) throw error
        throw new MaestroError(
          'Forbidden',
          'Resources associated with the consumer exist: delete them first, or use force=true if its cluster is gone',
        )
      }
    },
    async list(list) {
      const total = await countRows(query, 'consumers', list)
      const rows = await selectRows<ConsumerRow>(query, 'consumers', COLUMNS, list)
      return { rows: rows.map(consumerOf), total }
    },
  }
}

function consumerOf(row: ConsumerRow): Consumer {
  return {
    id: row.id,
    name: row.name,
    ...(row.labels !== null && { labels: row.labels }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
