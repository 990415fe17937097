import { MaestroError } from '../errors.js'
import type { Bundle } from '../store/bundle.js'
import type { Database, Json } from '../store/database.js'
import { jsonArray } from '../store/parameters.js'
import { Batcher } from './batcher.js'
import { isItemProblem, unavailable } from './database-errors.js'
import type { Spec } from './manifests.js'

/** The channel on which instances tell each other about changes. The payload is the id of the instance that wrote. */
export const CHANGES = 'maestro_changes'

export interface SpecWrite {
  /** The id of the bundle. */
  readonly key: string
  readonly bytes: number
  readonly source: string
  readonly consumerName: string
  /** Of a create: the first version. Of an update: the version that it changes, or 0 for any. */
  readonly version: number
  readonly metadata: Json
  readonly spec: Spec
}

export interface Deletion {
  readonly key: string
  readonly bytes: number
  /** Undefined for any source. */
  readonly source: string | undefined
}

/** A change that is durable, with the transaction that made it. */
export interface Written {
  readonly bundle: Bundle
  readonly transaction: string
}

export interface SpecWrites {
  create(write: SpecWrite): Promise<Written>
  update(write: SpecWrite): Promise<Written>
  /** Undefined if the bundle does not exist or is already being deleted. */
  delete(deletion: Deletion): Promise<Written | undefined>
}

interface CreatedRow {
  readonly has_consumer: boolean
  readonly created_at: Date | null
  readonly transaction: string
}

interface UpdatedRow {
  readonly source: string | null
  readonly version: number | null
  readonly deleted_at: Date | null
  readonly consumer_name: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly new_version: number | null
  readonly transaction: string
}

interface DeletedRow {
  readonly id: string
  readonly source: string
  readonly is_changed: boolean
  readonly consumer_name: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date
  readonly metadata: Json
  readonly transaction: string
}

const INPUT = `input as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::json[], $6::json[], $7::json[], $8::json[], $9::json[])
    with ordinality as input (id, source, consumer_name, version, metadata, manifests, delete_option, manifest_configs, executer, position))`

/** A consumer that is missing fails its own bundles only, where the foreign key would fail all. */
const CREATE = `with ${INPUT},
known as (select name from consumers where name = any($3::text[]) order by name for key share),
created as (
  insert into resources (id, source, consumer_name, version, metadata, manifests, delete_option, manifest_configs, executer)
  select id, source, consumer_name, version, metadata::jsonb, manifests, delete_option, manifest_configs, executer
  from input where consumer_name in (select name from known)
  on conflict (id) do nothing
  returning id, created_at)
select exists (select from known where name = input.consumer_name) has_consumer, created.created_at,
  pg_current_xact_id()::text transaction, pg_notify('${CHANGES}', $10)
from input left join created using (id) order by position`

/** Rows are locked in the order of their ids, so that instances do not wait for each other in a circle. */
const UPDATE = `with ${INPUT},
locked as (select id, source, consumer_name, version, deleted_at, created_at from resources where id = any($1::text[]) order by id for update),
updated as (
  update resources set version = resources.version + 1, updated_at = now(), metadata = input.metadata::jsonb,
    manifests = input.manifests, delete_option = input.delete_option, manifest_configs = input.manifest_configs,
    executer = input.executer, changed = pg_current_xact_id(), spec_changed = pg_current_xact_id()
  from input join locked using (id)
  where resources.id = input.id and locked.deleted_at is null and locked.source = input.source
    and (input.version = 0 or input.version = locked.version)
  returning resources.id, resources.version, resources.updated_at)
select locked.source, locked.version, locked.deleted_at, locked.consumer_name, locked.created_at,
  updated.version new_version, updated.updated_at, pg_current_xact_id()::text transaction, pg_notify('${CHANGES}', $10)
from input left join locked using (id) left join updated using (id) order by position`

const DELETE = `with input as (select * from unnest($1::text[], $2::text[]) as input (id, source)),
locked as (select id, source, deleted_at from resources where id = any($1::text[]) order by id for update),
deleted as (
  update resources set deleted_at = now(), updated_at = now(), changed = pg_current_xact_id(), spec_changed = pg_current_xact_id()
  from input join locked using (id)
  where resources.id = input.id and locked.deleted_at is null and (input.source is null or input.source = locked.source)
  returning resources.id, resources.consumer_name, resources.version, resources.created_at, resources.updated_at,
    resources.deleted_at, resources.metadata)
select locked.id, locked.source, deleted.id is not null is_changed, deleted.consumer_name, deleted.version, deleted.created_at,
  deleted.updated_at, deleted.deleted_at, deleted.metadata, pg_current_xact_id()::text transaction,
  pg_notify('${CHANGES}', $3)
from locked left join deleted using (id)`

const NO_MANIFESTS = Buffer.from('[]')

export function specWritesTo(database: Database, instance: string): SpecWrites {
  const valuesOf = (writes: readonly SpecWrite[]) => [
    writes.map(({ key }) => key),
    writes.map(({ source }) => source),
    writes.map(({ consumerName }) => consumerName),
    writes.map(({ version }) => version),
    jsonArray(writes.map(({ metadata }) => metadata)),
    jsonArray(writes.map(({ spec }) => spec.manifests)),
    jsonArray(writes.map(({ spec }) => spec.deleteOption)),
    jsonArray(writes.map(({ spec }) => spec.manifestConfigs)),
    jsonArray(writes.map(({ spec }) => spec.executer)),
    instance,
  ]
  const run = <Row extends object>(name: string, text: string, values: unknown[]) =>
    database.query<Row>({ name, text, values }).catch(unavailable)

  const sourceOf = ({ source = '' }: SpecWrite | Deletion) => source
  const creates = new Batcher<SpecWrite, CreatedRow>({
    run: (writes) => run('create-bundles', CREATE, valuesOf(writes)),
    flowOf: sourceOf,
    isItemProblem,
  })
  const updates = new Batcher<SpecWrite, UpdatedRow>({
    run: (writes) => run('update-bundles', UPDATE, valuesOf(writes)),
    flowOf: sourceOf,
    isItemProblem,
  })
  const deletes = new Batcher<Deletion, DeletedRow | undefined>({
    async run(deletions) {
      const [ids, sources] = [deletions.map(({ key }) => key), deletions.map(({ source }) => source ?? null)]
      const rows = await run<DeletedRow>('delete-bundles', DELETE, [ids, sources, instance])
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => byId.get(id))
    },
    flowOf: sourceOf,
    isItemProblem,
  })

  return {
    async create(write) {
      const row = await creates.submit(write)
      if (!row.has_consumer) throw missingConsumer(write.consumerName)
      if (row.created_at === null) throw new MaestroError('Conflict', 'This Resource already exists')
      const { created_at: createdAt, transaction } = row
      return { bundle: bundleOf(write, { version: write.version, createdAt, updatedAt: createdAt }), transaction }
    },
    async update(write) {
      const row = await updates.submit(write)
      if (row.version === null) throw notFound(write.key)
      if (row.source !== write.source) throw otherSource(write.key, write.source)
      if (row.deleted_at !== null) throw beingDeleted(write.key)
      if (row.new_version === null) {
        throw new MaestroError(
          'StaleVersion',
          `the resource version is not the latest, the latest version: ${row.version}`,
        )
      }
      const { created_at: createdAt, updated_at: updatedAt, new_version: version, transaction } = row
      const stored = { ...write, consumerName: row.consumer_name }
      return { bundle: bundleOf(stored, { version, createdAt, updatedAt }), transaction }
    },
    async delete(deletion) {
      const row = await deletes.submit(deletion)
      if (row === undefined) return undefined
      if (deletion.source !== undefined && row.source !== deletion.source) throw otherSource(row.id, deletion.source)
      if (!row.is_changed) return undefined
      const { id, source, consumer_name: consumerName, version, metadata, transaction } = row
      const [createdAt, updatedAt, deletedAt] = [row.created_at, row.updated_at, row.deleted_at]
      const times = { createdAt, updatedAt, deletedAt }
      const bundle = { id, name: id, source, consumerName, version, metadata, manifests: NO_MANIFESTS, ...times }
      return { bundle, transaction }
    },
  }
}

function bundleOf(write: SpecWrite, row: { version: number; createdAt: Date; updatedAt: Date }): Bundle {
  const { key: id, source, consumerName, metadata, spec } = write
  return { id, name: id, source, consumerName, metadata, ...spec, ...row }
}

export function beingDeleted(id: string): MaestroError {
  return new MaestroError('Deleting', `the resource is under deletion, id: ${id}`)
}

function notFound(id: string): MaestroError {
  return new MaestroError('NotFound', `Resource with id='${id}' not found`)
}

/** Clients recognise this problem by the name of the constraint. */
function missingConsumer(name: string): MaestroError {
  return new MaestroError(
    'MissingConsumer',
    `Unable to create Resource: consumer "${name}" does not exist, which violates foreign key constraint "fk_resources_consumers": create the consumer first`,
  )
}

function otherSource(id: string, source: string): MaestroError {
  return new MaestroError('Forbidden', `resource ${id} does not belong to source "${source}"`)
}
