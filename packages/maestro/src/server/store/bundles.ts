import { type Bundle, type BundleRow, bundleOf, columnsOf } from './bundle.js'
import type { Database } from './database.js'
import { documentSearches } from './document-searches.js'
import { countRows, type ListQuery, type ListResult, selectRows } from './list.js'

/** Rows that are read at once, and their size as they are stored: a bundle can have 4 MB, and most have some KB. */
const CHUNK_ROWS = 100
const CHUNK_BYTES = 4 * 1024 * 1024
const STORED_BYTES =
  'id, coalesce(pg_column_size(manifests), 0) + coalesce(pg_column_size(status_resources), 0) as bytes'

/** Reads bundles. Those that are being deleted are among them. */
export interface Bundles {
  get(id: string): Promise<Bundle | undefined>
  list(query: ListQuery): Promise<ListResult<Bundle>>
  /**
   * A query for the same bundles without a search of documents. Such a search takes long, and nothing else could use the
   * connection meanwhile: it is done in small parts. Rejects with `MaestroError` if too many wait for it.
   */
  settled(query: ListQuery): Promise<ListQuery>
  /** How many bundles match, on every page. */
  count(query: ListQuery): Promise<number>
  /** The bundles of a list, a part at a time: memory does not grow with the list. */
  stream(query: ListQuery): AsyncIterable<Bundle[]>
  /** In no particular order, and without those that do not exist. */
  getAll(ids: readonly string[]): Promise<Bundle[]>
}

export function bundlesIn(database: Database): Bundles {
  const { query } = database

  async function getAll(ids: readonly string[]): Promise<Bundle[]> {
    if (ids.length === 0) return []
    const text = `select ${columnsOf('resources')} from resources where id = any($1::text[])`
    return (await query<BundleRow>({ name: 'bundles-by-id', text, values: [ids] })).map(bundleOf)
  }

  async function* stream(list: ListQuery): AsyncIterable<Bundle[]> {
    // Ids first: the order of the whole list is settled once, and no transaction stays open while a client reads.
    const rows = await selectRows<StoredRow>(query, 'resources', STORED_BYTES, list)
    for (const part of partsOf(rows)) {
      const found = new Map((await getAll(part)).map((bundle) => [bundle.id, bundle]))
      yield part.flatMap((id) => found.get(id) ?? [])
    }
  }

  return {
    async get(id) {
      return (await getAll([id]))[0]
    },
    settled: documentSearches(query),
    count: (list) => countRows(query, 'resources', list),
    async list(list) {
      const [total, rows] = [await countRows(query, 'resources', list), [] as Bundle[]]
      for await (const part of stream(list)) rows.push(...part)
      return { rows, total }
    },
    stream,
    getAll,
  }
}

interface StoredRow {
  readonly id: string
  readonly bytes: number
}

/** Ids in parts of limited size. A bundle that is larger is a part of its own. */
function* partsOf(rows: readonly StoredRow[]): Generator<string[]> {
  let part: string[] = []
  let size = 0
  for (const { id, bytes } of rows) {
    if (part.length > 0 && (part.length === CHUNK_ROWS || size + bytes > CHUNK_BYTES)) {
      yield part
      part = []
      size = 0
    }
    part.push(id)
    size += bytes
  }
  if (part.length > 0) yield part
}
