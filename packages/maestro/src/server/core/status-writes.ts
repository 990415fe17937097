import { type Bundle, type BundleRow, bundleOf, columnsOf } from '../store/bundle.js'
import type { Database, Json } from '../store/database.js'
import { jsonArray } from '../store/parameters.js'
import { Batcher } from './batcher.js'
import { isItemProblem, unavailable } from './database-errors.js'
import { CHANGES } from './spec-writes.js'

export interface StatusWrite {
  /** The id of the bundle. */
  readonly key: string
  readonly bytes: number
  readonly consumerName: string
  /** The version of the bundle that the status is about. */
  readonly version: number
  readonly sequenceId: string
  readonly hash: string
  readonly conditions: Json
  readonly resourceStatus: Json | undefined
}

export interface StatusWritten {
  /** `stale`: there is a newer version or a newer status. `missing`: the bundle does not exist. */
  readonly outcome: 'accepted' | 'stale' | 'missing' | 'otherConsumer' | 'otherNode' | 'notDeleting'
  /** The bundle with its new status, if it was accepted and `wantsBundle` of its source. */
  readonly bundle?: Bundle
  readonly transaction: string
}

export interface StatusWrites {
  /** Stores a status if it is newer than the stored one. */
  update(write: StatusWrite): Promise<StatusWritten>
  /** Removes a bundle whose work is gone from its cluster. */
  remove(write: StatusWrite): Promise<StatusWritten>
}

interface StatusRow extends Partial<BundleRow> {
  readonly key: string
  readonly found_consumer: string | null
  readonly found_node: number | null
  readonly deleting: boolean | null
  readonly is_accepted: boolean
  readonly transaction: string
}

/** The bits of a sequence id that name the node which generated it. */
const node = (sequence: string) => `((${sequence} >> 12) & 1023)::int`

const INPUT = `input as (
  select * from unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::text[], $6::json[], $7::json[])
    with ordinality as input (id, consumer_name, version, sequence, hash, conditions, resource_status, position)),
locked as (
  select id, consumer_name, version, deleted_at, status_version, status_sequence, ${node('status_sequence')} node
  from resources where id = any($1::text[]) order by id for update)`

/** A status of a newer version is newer than any of an older version, whatever its sequence. */
const UPDATE = (columns: string) => `with ${INPUT},
accepted as (
  update resources set status_version = input.version, status_sequence = input.sequence, status_hash = input.hash,
    status_conditions = input.conditions, status_resources = input.resource_status,
    changed = pg_current_xact_id(), status_changed = pg_current_xact_id()
  from input join locked using (id)
  where resources.id = input.id and locked.consumer_name = input.consumer_name and locked.version = input.version
    and (locked.status_sequence is null or locked.status_version < input.version
      or (locked.node = ${node('input.sequence')} and locked.status_sequence < input.sequence))
  returning ${columns})
select input.id key, locked.consumer_name found_consumer, locked.node found_node, locked.deleted_at is not null deleting,
  accepted.id is not null is_accepted, accepted.*, pg_current_xact_id()::text transaction, pg_notify('${CHANGES}', $8)
from input left join locked using (id) left join accepted on accepted.id = input.id order by position`

/** The columns that a tombstone has of its bundle. */
export const COPIED = `id, source, consumer_name, version, created_at, updated_at, deleted_at, metadata, manifests, delete_option,
  manifest_configs, executer`

const REMOVE = `with ${INPUT},
removed as (
  delete from resources using input join locked using (id)
  where resources.id = input.id and locked.consumer_name = input.consumer_name and locked.deleted_at is not null
  returning resources.*),
accepted as (
  insert into tombstones (${COPIED}, status_version, status_sequence, status_hash, status_conditions, status_resources)
  select removed.id, removed.source, removed.consumer_name, removed.version, removed.created_at, removed.updated_at,
    removed.deleted_at, removed.metadata, removed.manifests, removed.delete_option, removed.manifest_configs, removed.executer,
    input.version, input.sequence, input.hash, input.conditions, input.resource_status
  from removed join input using (id)
  returning ${columnsOf('tombstones')})
select input.id key, locked.consumer_name found_consumer, locked.node found_node, locked.deleted_at is not null deleting,
  accepted.id is not null is_accepted, accepted.*, pg_current_xact_id()::text transaction, pg_notify('${CHANGES}', $8)
from input left join locked using (id) left join accepted on accepted.id = input.id order by position`

const NODE_OF = (sequenceId: string) => Number((BigInt(sequenceId) >> 12n) & 1023n)

export function statusWritesTo(database: Database, instance: string, wantsBundles: () => boolean): StatusWrites {
  const valuesOf = (writes: readonly StatusWrite[]) => [
    writes.map(({ key }) => key),
    writes.map(({ consumerName }) => consumerName),
    writes.map(({ version }) => version),
    writes.map(({ sequenceId }) => sequenceId),
    writes.map(({ hash }) => hash),
    jsonArray(writes.map(({ conditions }) => conditions)),
    jsonArray(writes.map(({ resourceStatus }) => resourceStatus)),
    instance,
  ]
  const run = (name: string, text: string, writes: readonly StatusWrite[]) =>
    database.query<StatusRow>({ name, text, values: valuesOf(writes) }).catch(unavailable)
  const [withBundle, withoutBundle] = [UPDATE(columnsOf('resources')), UPDATE('resources.id')]

  const consumerOf = ({ consumerName }: StatusWrite) => consumerName
  const updates = new Batcher<StatusWrite, StatusRow>({
    // Manifests are read back only if a subscriber gets them.
    run: (writes) =>
      wantsBundles() ? run('update-status-full', withBundle, writes) : run('update-status', withoutBundle, writes),
    flowOf: consumerOf,
    isItemProblem,
  })
  const removals = new Batcher<StatusWrite, StatusRow>({
    run: (writes) => run('remove-bundles', REMOVE, writes),
    flowOf: consumerOf,
    isItemProblem,
  })
  return {
    update: async (write) => writtenOf(write, await updates.submit(write)),
    remove: async (write) => writtenOf(write, await removals.submit(write), true),
  }
}

function writtenOf(write: StatusWrite, row: StatusRow, isRemoval = false): StatusWritten {
  const { transaction } = row
  if (row.is_accepted) {
    const hasBundle = row.metadata !== undefined
    return { outcome: 'accepted', transaction, ...(hasBundle && { bundle: bundleOf(row as BundleRow) }) }
  }
  if (row.found_consumer === null) return { outcome: 'missing', transaction }
  if (row.found_consumer !== write.consumerName) return { outcome: 'otherConsumer', transaction }
  if (isRemoval) return { outcome: 'notDeleting', transaction }
  const isOtherNode = row.found_node !== null && row.found_node !== NODE_OF(write.sequenceId)
  return { outcome: isOtherNode ? 'otherNode' : 'stale', transaction }
}
