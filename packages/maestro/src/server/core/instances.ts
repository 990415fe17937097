import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { Database } from '../store/database.js'
import type { Feed } from './feed.js'

export interface InstanceOptions {
  readonly database: Database
  readonly instance: string
  readonly clock: Clock
  readonly log: Logger
  readonly feed: Pick<Feed, 'cursor'>
  readonly onGap: () => void
}

const HEARTBEAT_MS = 10_000
/** An instance that is silent for longer is gone. Tombstones do not wait for it. */
const GONE_AFTER = '2 minutes'
/** Only an instance whose own last heartbeat is not older decides this: after an outage of the database, all are silent. */
const RECENT = '30 seconds'

const REGISTER = `insert into server_instances (id, seen) values ($1, $2::xid8)
  on conflict (id) do update set seen = excluded.seen, last_heartbeat = now()`

/** Whether the instance was still known, and what all of them have seen. */
const BEAT = `with beat as (update server_instances set seen = $2::xid8, last_heartbeat = now() where id = $1 returning id),
gone as (delete from server_instances where last_heartbeat < now() - interval '${GONE_AFTER}' and id <> $1
  and exists (select from server_instances where id = $1 and last_heartbeat >= now() - interval '${RECENT}'))
select exists (select from beat) is_known`

const FORGET = `delete from tombstones where changed < (select min(seen) from server_instances)`

/** Stores how far this instance has followed the changes, so that tombstones that all instances have read can be removed. */
export async function keepInstance(options: InstanceOptions): Promise<{ close(): Promise<void> }> {
  const { database, instance, clock, log, feed, onGap } = options
  const register = () => database.query({ text: REGISTER, values: [instance, feed.cursor] })
  await register()
  let isClosed = false
  let beating: Promise<void> = Promise.resolve()
  let cancel = clock.after(HEARTBEAT_MS, run)

  function run(): void {
    beating = beat()
      .catch((error: Error) => log.warn('could not send the heartbeat of this instance', { error: error.message }))
      .finally(() => {
        if (!isClosed) cancel = clock.after(HEARTBEAT_MS, run)
      })
  }

  async function beat(): Promise<void> {
    const [row] = await database.query<{ is_known: boolean }>({ text: BEAT, values: [instance, feed.cursor] })
    if (row?.is_known === false) {
      // The others thought that this one was gone, and may have removed what it has not seen.
      log.warn('this instance was silent for too long: its subscribers resync', { instance })
      await register()
      onGap()
    }
    await database.query({ text: FORGET })
  }

  return {
    async close() {
      isClosed = true
      cancel()
      await beating
      // Without the database, the others find out by themselves that this instance is gone.
      await database
        .query({ text: 'delete from server_instances where id = $1', values: [instance] })
        .catch((error: Error) => log.warn('could not sign off this instance', { error: error.message }))
    },
  }
}
