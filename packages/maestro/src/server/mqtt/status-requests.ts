import type { CloudEvent } from '../../codec/cloud-event.js'
import { statusResyncRequest } from '../../codec/resync-events.js'
import { NO_STATUS_HASH } from '../../codec/status-hash.js'
import type { Database } from '../store/database.js'

/** About 120 KB: brokers limit the size of messages. An agent ignores works that are not in the list. */
const BATCH = 1_000

interface Row {
  readonly id: string
  readonly consumer_name: string
  readonly status_hash: string | null
}

const HASHES = `select id, consumer_name, status_hash from resources where deleted_at is null and consumer_name > $1
order by consumer_name, id limit $2`
const HASHES_OF_REST = `select id, consumer_name, status_hash from resources
where deleted_at is null and (consumer_name, id) > ($1, $3) order by consumer_name, id limit $2`

/** Requests to the agents of all consumers for the statuses that the server does not have. */
export async function* statusRequests(database: Pick<Database, 'query'>, source: string): AsyncGenerator<CloudEvent> {
  let last: Row | undefined
  for (;;) {
    const rows: Row[] =
      last === undefined
        ? await database.query<Row>({ text: HASHES, values: ['', BATCH] })
        : await database.query<Row>({ text: HASHES_OF_REST, values: [last.consumer_name, BATCH, last.id] })
    const byConsumer = new Map<string, Map<string, string>>()
    for (const { id, consumer_name: consumerName, status_hash: hash } of rows) {
      const hashes = byConsumer.get(consumerName) ?? new Map<string, string>()
      byConsumer.set(consumerName, hashes.set(id, hash ?? NO_STATUS_HASH))
    }
    for (const [clusterName, hashes] of byConsumer) yield statusResyncRequest({ source, clusterName, hashes })
    last = rows.at(-1)
    if (rows.length < BATCH) return
  }
}
