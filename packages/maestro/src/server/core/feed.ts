import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { type Bundle, type BundleRow, bundleOf, columnsOf } from '../store/bundle.js'
import type { Bundles } from '../store/bundles.js'
import type { Database, Subscription } from '../store/database.js'
import { compareStatus, type StatusOrder } from './changes.js'
import { CHANGES } from './spec-writes.js'

export interface FeedOptions {
  readonly database: Database
  readonly bundles: Bundles
  /** The id of this instance. */
  readonly instance: string
  readonly wantsSpecs: (consumerName: string) => boolean
  readonly wantsStatuses: (source: string) => boolean
  readonly onSpec: (bundle: Bundle) => void
  readonly onStatus: (bundle: Bundle, isRemoved: boolean) => void
  readonly clock: Clock
  readonly log: Logger
}

/** What this instance has already delivered of a bundle. Without its content, which would fill the memory. */
interface Delivered {
  spec?: { readonly transaction: string; readonly version: number; readonly isDeleting: boolean }
  status?: { readonly transaction: string; readonly order: StatusOrder; readonly isRemoved: boolean }
}

export interface StatusDelivery {
  /** Undefined if nobody here wants it. */
  readonly bundle: Bundle | undefined
  readonly isRemoved: boolean
  readonly transaction: string
}

interface ChangeRow {
  /** Null if nothing changed. */
  readonly id: string | null
  readonly source: string
  readonly consumer_name: string
  /** The transaction, if it is one that the last look did not see. */
  readonly spec: string | null
  readonly status: string | null
  readonly is_removed: boolean
  /** The oldest transaction that was still running. */
  readonly next: string
}

/**
 * Transactions do not commit in the order of their numbers. So each look begins with the oldest transaction that was
 * running at the last one, and finds again what was delivered since: `Delivered` tells.
 */
const LOOK = `select found.*, pg_snapshot_xmin(pg_current_snapshot())::text next from (values (1)) one left join lateral (
  select id, source, consumer_name, case when spec_changed >= $1::xid8 then spec_changed::text end spec,
    case when status_changed >= $1::xid8 then status_changed::text end status, false is_removed
  from resources where changed >= $1::xid8
  union all
  select id, source, consumer_name, null, changed::text, true from tombstones where changed >= $1::xid8
) found on true`

const REMOVED = `select ${columnsOf('tombstones')} from tombstones where id = any($1::text[]) and changed >= $2::xid8`

/** Without a notification, for example if a connection died without a word. */
const LOOK_EVERY_MS = 3_000
const RETRY_MS = 200
const CHUNK = 50

/** Follows the changes of all instances. */
export class Feed {
  readonly #options: FeedOptions
  readonly #delivered = new Map<string, Delivered>()
  #cursor = '0'
  #listener: Subscription | undefined
  #cancelTimer: (() => void) | undefined
  #looking: Promise<void> | undefined
  #lookAgain = false
  #closed = false
  #isReady = false

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Whether the last look succeeded. */
  get isReady(): boolean {
    return this.#isReady && !this.#closed
  }

  /** The transaction up to which all changes were followed. */
  get cursor(): string {
    return this.#cursor
  }

  /** Changes after this are delivered. */
  async start(): Promise<void> {
    const { database, instance } = this.#options
    const [row] = await database.query<{ next: string }>({
      text: 'select pg_snapshot_xmin(pg_current_snapshot())::text next',
    })
    this.#cursor = row?.next ?? '0'
    this.#isReady = true
    const onNotify = (writer: string) => {
      if (writer !== instance) this.look()
    }
    this.#listener = database.listen(CHANGES, onNotify, () => this.look())
    this.#scheduleLook(LOOK_EVERY_MS)
  }

  /** This instance wrote a spec and delivers it from memory. */
  deliverSpec(bundle: Bundle, transaction: string): void {
    this.#deliveredOf(bundle.id).spec = {
      transaction,
      version: bundle.version,
      isDeleting: bundle.deletedAt !== undefined,
    }
    this.#options.onSpec(bundle)
  }

  /** This instance wrote a status and delivers it from memory. */
  deliverStatus(id: string, order: StatusOrder, delivery: StatusDelivery): void {
    const { bundle, isRemoved, transaction } = delivery
    this.#deliveredOf(id).status = { transaction, order, isRemoved }
    if (bundle !== undefined) this.#options.onStatus(bundle, isRemoved)
  }

  /** Looks for changes of other instances, once more if it is looking already. */
  look(): void {
    if (this.#closed) return
    if (this.#looking !== undefined) {
      this.#lookAgain = true
      return
    }
    this.#cancelTimer?.()
    this.#looking = this.#lookOnce()
      .then(
        () => {
          this.#isReady = true
          return LOOK_EVERY_MS
        },
        (error: Error) => {
          this.#isReady = false
          this.#options.log.warn('could not read the changes of other instances', { error: error.message })
          return RETRY_MS
        },
      )
      .then((delay) => {
        this.#looking = undefined
        const again = this.#lookAgain && delay !== RETRY_MS
        this.#lookAgain = false
        if (again) this.look()
        else this.#scheduleLook(delay)
      })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    await this.#listener?.close()
    await this.#looking
  }

  #scheduleLook(delay: number): void {
    if (this.#closed) return
    this.#cancelTimer = this.#options.clock.after(delay, () => this.look())
  }

  async #lookOnce(): Promise<void> {
    const { database, wantsSpecs, wantsStatuses } = this.#options
    const since = this.#cursor
    const rows = await database.query<ChangeRow>({ name: 'look', text: LOOK, values: [since] })
    const specs = new Map<string, string>()
    const statuses = new Map<string, string>()
    const removed = new Map<string, string>()
    for (const { id, source, consumer_name: consumerName, spec, status, is_removed: isRemoved } of rows) {
      if (id === null) continue
      const delivered = this.#delivered.get(id)
      if (spec !== null && spec !== delivered?.spec?.transaction && wantsSpecs(consumerName)) specs.set(id, spec)
      if (status === null || status === delivered?.status?.transaction || !wantsStatuses(source)) continue
      if (isRemoved) removed.set(id, status)
      else statuses.set(id, status)
    }
    await this.#deliverBundles(specs, statuses)
    await this.#deliverRemoved(removed, since)
    this.#advance(rows[0]?.next ?? since)
  }

  async #deliverBundles(specs: ReadonlyMap<string, string>, statuses: ReadonlyMap<string, string>): Promise<void> {
    const ids = [...new Set([...specs.keys(), ...statuses.keys()])]
    for (let start = 0; start < ids.length; start += CHUNK) {
      for (const bundle of await this.#options.bundles.getAll(ids.slice(start, start + CHUNK))) {
        const [spec, status] = [specs.get(bundle.id), statuses.get(bundle.id)]
        if (spec !== undefined && this.#isNewSpec(bundle)) this.deliverSpec(bundle, spec)
        if (status !== undefined && bundle.status !== undefined && this.#isNewStatus(bundle)) {
          this.deliverStatus(bundle.id, bundle.status, { bundle, isRemoved: false, transaction: status })
        }
      }
    }
  }

  async #deliverRemoved(removed: ReadonlyMap<string, string>, since: string): Promise<void> {
    const ids = [...removed.keys()]
    for (let start = 0; start < ids.length; start += CHUNK) {
      const part = ids.slice(start, start + CHUNK)
      const rows = await this.#options.database.query<BundleRow>({ text: REMOVED, values: [part, since] })
      for (const row of rows) {
        const bundle = bundleOf(row)
        const transaction = removed.get(row.id)
        if (bundle.status === undefined || transaction === undefined) continue
        this.deliverStatus(row.id, bundle.status, { bundle, isRemoved: true, transaction })
      }
    }
  }

  /** This instance may have delivered something newer while the bundle was read. */
  #isNewSpec(bundle: Bundle): boolean {
    const last = this.#delivered.get(bundle.id)?.spec
    if (last === undefined) return true
    return bundle.deletedAt !== undefined || (!last.isDeleting && last.version <= bundle.version)
  }

  #isNewStatus({ id, status }: Bundle): boolean {
    const last = this.#delivered.get(id)?.status
    return last === undefined || (!last.isRemoved && status !== undefined && compareStatus(status, last.order) > 0)
  }

  #deliveredOf(id: string): Delivered {
    const found = this.#delivered.get(id) ?? {}
    this.#delivered.set(id, found)
    return found
  }

  /** Forgets what no later look can find. */
  #advance(next: string): void {
    const cursor = BigInt(next)
    if (cursor > BigInt(this.#cursor)) this.#cursor = next
    for (const [id, { spec, status }] of this.#delivered) {
      const isPast = [spec, status].every((part) => part === undefined || BigInt(part.transaction) < cursor)
      if (isPast) this.#delivered.delete(id)
    }
  }
}
