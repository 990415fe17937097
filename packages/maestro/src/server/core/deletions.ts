import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { Bundle } from '../store/bundle.js'
import type { Database, Json } from '../store/database.js'
import { type SpecChange, specChangeOf } from './changes.js'
import type { Subscribers } from './subscribers.js'

interface DeletingRow {
  readonly id: string
  readonly source: string
  readonly consumer_name: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date
  readonly metadata: Json
}

export interface RepeatOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  /** Milliseconds. */
  readonly every: number
  readonly agents: Subscribers<SpecChange>
}

const NO_MANIFESTS = Buffer.from('[]')

/** Sends deletions again that were pending one interval ago and still are: an agent may have lost them. */
export function repeatDeletions({ database, clock, log, every, agents }: RepeatOptions): { close(): void } {
  let pending = new Set<string>()
  let isClosed = false
  let cancel = clock.after(every, run)

  function run(): void {
    repeat()
      .catch((error: Error) => log.warn('could not repeat deletions', { error: error.message }))
      .finally(() => {
        if (!isClosed) cancel = clock.after(every, run)
      })
  }

  async function repeat(): Promise<void> {
    const rows = await database.query<DeletingRow>({
      text: `select id, source, consumer_name, version, created_at, updated_at, deleted_at, metadata
        from resources where deleted_at is not null and consumer_name = any($1::text[])`,
      values: [agents.keys()],
    })
    if (isClosed) return
    for (const row of rows) {
      if (pending.has(row.id)) agents.deliver(row.consumer_name, specChangeOf(bundleOf(row)))
    }
    pending = new Set(rows.map(({ id }) => id))
  }

  return {
    close() {
      isClosed = true
      cancel()
    },
  }
}

function bundleOf(row: DeletingRow): Bundle {
  const { id, source, consumer_name: consumerName, version, metadata } = row
  const times = { createdAt: row.created_at, updatedAt: row.updated_at, deletedAt: row.deleted_at }
  return { id, name: id, source, consumerName, version, metadata, manifests: NO_MANIFESTS, ...times }
}
