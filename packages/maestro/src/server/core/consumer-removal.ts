import { MaestroError } from '../errors.js'
import type { Consumers } from '../store/consumers.js'
import type { Database } from '../store/database.js'
import { CHANGES } from './spec-writes.js'
import { COPIED } from './status-writes.js'

/** Bundles of one transaction: they can have 4 MiB each. */
const BATCH = 100
/** How often a source may create bundles between the removal of the others and that of the consumer. */
const ATTEMPTS = 20

/** The status that sources get, with the condition of a work that its agent has deleted. */
const CONDITIONS = `json_build_array(json_build_object('type', 'Deleted', 'status', 'True', 'reason', 'ConsumerDeleted',
  'message', 'The consumer was deleted. Its agent was not asked to delete the objects.',
  'lastTransitionTime', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))`

const REMOVE = `with found as (
  select id from resources where consumer_name = $1 order by id limit ${BATCH} for update),
removed as (delete from resources using found where resources.id = found.id returning resources.*),
buried as (
  insert into tombstones (${COPIED}, status_version, status_sequence, status_hash, status_conditions)
  select id, source, consumer_name, version, created_at, updated_at, coalesce(deleted_at, now()), metadata, manifests,
    delete_option, manifest_configs, executer, version, coalesce(status_sequence, 0) + 1, '', ${CONDITIONS}
  from removed returning id)
select count(*)::int removed, pg_notify('${CHANGES}', $2) from buried`

/**
 * Deletes a consumer whose cluster is gone, and its bundles, without waiting for its agent. Their sources get a status
 * with the condition Deleted. Returns the name of the consumer; undefined if it does not exist.
 */
export async function removeConsumer(
  { query }: Pick<Database, 'query'>,
  consumers: Pick<Consumers, 'get' | 'delete'>,
  { id, instance }: { readonly id: string; readonly instance: string },
): Promise<string | undefined> {
  const consumer = await consumers.get(id)
  if (consumer === undefined) return undefined
  for (let attempt = 1; ; attempt++) {
    for (let removed = BATCH; removed === BATCH; ) {
      const [row] = await query<{ removed: number }>({ text: REMOVE, values: [consumer.name, instance] })
      removed = row?.removed ?? 0
    }
    try {
      return await consumers.delete(id)
    } catch (error) {
      if (!(error instanceof MaestroError) || attempt === ATTEMPTS) throw error
    }
  }
}
