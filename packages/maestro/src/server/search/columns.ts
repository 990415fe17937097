/** A place in a JSON document: the SQL of a jsonb value, and the places below it that have SQL of their own. */
export interface JsonPlace {
  readonly sql: string
  readonly below?: Readonly<Record<string, JsonPlace>>
}

/** A column that users can search and sort by. The SQL is text of this program, never of a user. */
export type Column =
  | { readonly type: 'text' | 'integer' | 'time'; readonly sql: string }
  | { readonly type: 'json'; readonly place: JsonPlace }

/** The columns of a collection by the names that Maestro has for them. */
export interface Columns {
  /** The name of the table in Maestro, which may precede the name of a column. */
  readonly table: string
  readonly byName: ReadonlyMap<string, Column>
}

const text = (sql: string): Column => ({ type: 'text', sql })
const time = (sql: string): Column => ({ type: 'time', sql })

/** Joins places to the document that has them, for searches of a part of a document. */
function document(below: Readonly<Record<string, JsonPlace>>): JsonPlace {
  const fields = Object.entries(below).map(([key, { sql }]) => `'${key}', ${sql}`)
  return { sql: `jsonb_strip_nulls(jsonb_build_object(${fields.join(', ')}))`, below }
}

/**
 * Maestro stores the CloudEvent of a bundle as `payload` and that of its last status as `status`. Here their parts are
 * columns, and these documents exist in searches only.
 */
const PAYLOAD = document({
  id: { sql: 'to_jsonb(id)' },
  source: { sql: 'to_jsonb(source)' },
  resourceid: { sql: 'to_jsonb(id)' },
  resourceversion: { sql: 'to_jsonb(version)' },
  clustername: { sql: 'to_jsonb(consumer_name)' },
  metadata: { sql: 'metadata', below: { labels: { sql: "(metadata -> 'labels')" } } },
  data: document({
    manifests: { sql: 'manifests::jsonb' },
    deleteOption: { sql: 'delete_option::jsonb' },
    manifestConfigs: { sql: 'manifest_configs::jsonb' },
    executer: { sql: 'executer::jsonb' },
  }),
})

const STATUS = document({
  resourceid: { sql: 'to_jsonb(id)' },
  resourceversion: { sql: 'to_jsonb(status_version)' },
  sequenceid: { sql: 'to_jsonb(status_sequence::text)' },
  statushash: { sql: 'to_jsonb(status_hash)' },
  data: document({
    conditions: { sql: 'status_conditions::jsonb' },
    resourceStatus: { sql: 'status_resources::jsonb' },
  }),
})

/** `GET /resource-bundles`. */
export const BUNDLE_COLUMNS: Columns = {
  table: 'resources',
  byName: new Map<string, Column>([
    ['id', text('id')],
    ['name', text('name')],
    ['source', text('source')],
    ['consumer_name', text('consumer_name')],
    ['version', { type: 'integer', sql: 'version' }],
    ['type', text('type')],
    ['created_at', time('created_at')],
    ['updated_at', time('updated_at')],
    ['deleted_at', time('deleted_at')],
    ['payload', { type: 'json', place: PAYLOAD }],
    ['status', { type: 'json', place: STATUS }],
  ]),
}

/** `GET /consumers`. */
export const CONSUMER_COLUMNS: Columns = {
  table: 'consumers',
  byName: new Map<string, Column>([
    ['id', text('id')],
    ['name', text('name')],
    ['labels', { type: 'json', place: { sql: 'labels' } }],
    ['created_at', time('created_at')],
    ['updated_at', time('updated_at')],
    ['deleted_at', time('deleted_at')],
  ]),
}

/** The column of a name that a user wrote; undefined if there is none. */
export function findColumn({ table, byName }: Columns, written: string): Column | undefined {
  const name = written.toLowerCase()
  const prefix = `${table}.`
  return byName.get(name.startsWith(prefix) ? name.slice(prefix.length) : name)
}

/** The problem with a name that is not a column, with the names that are. */
export function unknownColumn({ byName }: Columns, written: string): string {
  return `invalid column name: '${written}', valid values are: [${[...byName.keys()].join(' ')}]`
}
