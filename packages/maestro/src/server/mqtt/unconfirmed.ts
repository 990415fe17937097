import type { Clock } from '@orrery/kube/clock'
import type { Database } from '../store/database.js'

/** Rows that are found at once: agents that are offline must not fill the memory. */
const MAX_FOUND = 10_000
const MAX_WAIT_MILLISECONDS = 3_600_000

/** Bundles whose agent has not reported the current version, or has not confirmed the deletion. */
const FIND = `select id, version, deleted_at is not null is_deleting from resources
where (deleted_at is not null or status_version is distinct from version)
  and updated_at <= now() - make_interval(secs => $1) order by updated_at limit ${MAX_FOUND}`

interface Row {
  readonly id: string
  readonly version: number
  readonly is_deleting: boolean
}

interface Repeated {
  readonly what: string
  readonly next: number
  readonly wait: number
}

/**
 * Finds bundles that were published but not confirmed by their agents: a broker can lose messages, and an instance can
 * stop before it has published what it wrote. Each is found again after a time that doubles.
 */
export class Unconfirmed {
  readonly #database: Pick<Database, 'query'>
  readonly #clock: Clock
  readonly #afterSeconds: number
  #repeated = new Map<string, Repeated>()

  constructor(database: Pick<Database, 'query'>, clock: Clock, afterSeconds: number) {
    this.#database = database
    this.#clock = clock
    this.#afterSeconds = afterSeconds
  }

  /** The IDs of all that are not confirmed, for example after a connection was lost. */
  async all(): Promise<string[]> {
    return (await this.#find(0)).map(({ id }) => id)
  }

  /** The IDs of those that should be published again now. */
  async due(): Promise<string[]> {
    const rows = await this.#find(this.#afterSeconds)
    const now = this.#clock.elapsed()
    const repeated = new Map<string, Repeated>()
    const ids: string[] = []
    for (const { id, version, is_deleting: isDeleting } of rows) {
      const what = isDeleting ? 'deletion' : String(version)
      const before = this.#repeated.get(id)
      if (before?.what === what && before.next > now) {
        repeated.set(id, before)
        continue
      }
      const first = this.#afterSeconds * 1_000
      const wait = before?.what === what ? Math.min(before.wait * 2, MAX_WAIT_MILLISECONDS) : first
      repeated.set(id, { what, wait, next: now + wait })
      ids.push(id)
    }
    this.#repeated = repeated
    return ids
  }

  #find(seconds: number): Promise<Row[]> {
    return this.#database.query<Row>({ text: FIND, values: [seconds] })
  }
}
