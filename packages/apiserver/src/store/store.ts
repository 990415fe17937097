import type { Clock } from '@orrery/kube/clock'
import { writeBackup } from './backup.js'
import { Committer, type Write } from './committer.js'
import { Compactor } from './compactor.js'
import { StoredEntry, unpooled } from './entry.js'
import type { History } from './history.js'
import type { KeyIndex } from './key-index.js'
import type { Log } from './log.js'
import { newestPage, pastPage } from './page.js'
import { MAX_NAME_LENGTH } from './record.js'
import { removalsAmong, speedsRemoval } from './removals.js'
import { AgeLimit, type RetentionOptions } from './retention.js'
import {
  type Change,
  type ChangeScope,
  type Encode,
  type Entry,
  HeadMoved,
  NoSpace,
  type Page,
  type PageRequest,
  StorageRefused,
  type Store,
} from './types.js'
import { UnsettledWrites } from './unsettled.js'

/** The state of a log after reading it completely. */
export interface LoadedState {
  readonly cluster: string
  readonly revision: number
  readonly keyIndex: KeyIndex
  readonly history: History
  /** Records that a compaction has not removed yet. */
  readonly garbage: number[]
}

export interface LogStoreOptions {
  readonly clock: Clock
  readonly retention: Required<RetentionOptions>
  readonly onWarning: (message: string, error: unknown) => void
  /** Called when writes succeed again. */
  readonly onRecovered: () => void
  /** Called when everything is closed. */
  readonly onClosed: () => void
}

/**
 * The limit on changes may be exceeded by this factor before history is compacted, so that not every write compacts.
 */
const SLACK = 1.1

/**
 * The store over a log (upstream: the storage interface on etcd). A write waits for its commit; then readers, listeners
 * and its writer see it, in that order.
 */
export class LogStore implements Store {
  readonly #log: Log
  readonly #options: LogStoreOptions
  readonly #keyIndex: KeyIndex
  readonly #history: History
  readonly #cluster: string
  readonly #committer: Committer
  readonly #compactor: Compactor
  readonly #ageLimit: AgeLimit
  readonly #listeners = new Set<(changes: readonly Change[]) => void>()
  readonly #unsettled = new UnsettledWrites()
  #durable: number
  /** Never decreases, not even for failed writes: one that reached the disk nevertheless has a distinct revision. */
  #assigned: number
  /** The last write: when it is settled, all earlier ones are. */
  #newest: Promise<unknown> = Promise.resolve()
  /** Why the last commit failed; undefined if it succeeded. */
  #failure: string | undefined
  #closed: Promise<void> | undefined

  constructor(log: Log, state: LoadedState, options: LogStoreOptions) {
    this.#log = log
    this.#options = options
    this.#keyIndex = state.keyIndex
    this.#history = state.history
    this.#cluster = state.cluster
    this.#durable = state.revision
    this.#assigned = state.revision
    this.#compactor = new Compactor(state.history, state.cluster, state.garbage, () => this.#assigned)
    this.#committer = new Committer(
      log,
      this.#compactor,
      (writes) => this.#show(writes),
      (writes, error) => this.#refuse(writes, error),
    )
    const { clock, retention } = options
    const expire = (revision: number) => this.#startCompacting(revision)
    this.#ageLimit = new AgeLimit(clock, retention.keepMilliseconds, () => this.#durable, expire)
    if (state.garbage.length > 0) this.#committer.nudge()
  }

  get revision(): number {
    return this.#durable
  }

  get compactedRevision(): number {
    return this.#history.compacted
  }

  get(bucket: string, namespace: string, name: string): Entry | undefined {
    return this.#keyIndex.get(bucket, namespace, name)
  }

  head(bucket: string, namespace: string, name: string): Entry | undefined {
    const write = this.#unsettled.isEmpty ? undefined : this.#unsettled.get(bucket, namespace, name)
    if (write !== undefined) return write.remove ? undefined : write.entry
    return this.#keyIndex.get(bucket, namespace, name)
  }

  page(request: PageRequest): Page {
    const { revision } = request
    if (revision === undefined || revision >= this.#durable) {
      return newestPage(this.#keyIndex, this.#durable, request)
    }
    return pastPage(this.#keyIndex, this.#history, revision, request)
  }

  count(bucket: string, namespace?: string): number {
    return this.#keyIndex.count(bucket, namespace)
  }

  put(
    bucket: string,
    namespace: string,
    name: string,
    expected: Entry | undefined,
    encode: Encode,
    mayHaveOwners?: boolean,
  ): Promise<Entry> {
    return this.#write(bucket, namespace, name, expected, encode, false, mayHaveOwners)
  }

  remove(bucket: string, namespace: string, name: string, expected: Entry, encode: Encode): Promise<Entry> {
    return this.#write(bucket, namespace, name, expected, encode, true)
  }

  flushed(): Promise<void> {
    if (this.#unsettled.isEmpty) return Promise.resolve()
    const settled = () => undefined
    return this.#newest.then(settled, settled)
  }

  changesSince(bucket: string, revision: number, scope?: ChangeScope): Iterable<Change> {
    return this.#history.since(bucket, revision, scope)
  }

  problem(): string | undefined {
    const seen = this.#log.problem()
    if (seen !== undefined) this.#noteFailure(seen)
    else if (this.#failure !== undefined && this.#closed === undefined) {
      // The problem may be solved, but without writes nothing would detect that.
      this.#compactor.probe()
      this.#committer.nudge()
    }
    return this.#failure
  }

  subscribe(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  compact(revision: number): Promise<void> {
    this.#refuseWhenClosed()
    this.#startCompacting(Math.min(revision, this.#durable))
    this.#committer.nudge()
    return this.#compactor.finished()
  }

  backup(file: string): Promise<void> {
    this.#refuseWhenClosed()
    const header = { cluster: this.#cluster, revision: this.#durable, created: this.#options.clock.now().toISOString() }
    return writeBackup(file, header, this.#keyIndex.all())
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#ageLimit.stop()
    await this.#committer.finish()
    this.#compactor.abandon()
    await this.#log.close()
    this.#options.onClosed()
  }

  #write(
    bucket: string,
    namespace: string,
    name: string,
    expected: Entry | undefined,
    encode: Encode,
    remove: boolean,
    mayHaveOwners?: boolean,
  ): Promise<Entry> {
    this.#refuseWhenClosed()
    const previous = this.head(bucket, namespace, name)
    if (previous?.revision !== expected?.revision) throw new HeadMoved()
    if (Math.max(bucket.length, namespace.length, name.length) > MAX_NAME_LENGTH) {
      throw new RangeError(`a name of more than ${MAX_NAME_LENGTH} characters cannot be stored`)
    }
    const revision = this.#assigned + 1
    const bytes = unpooled(encode(revision))
    const entry = new StoredEntry(bucket, namespace, previous?.name ?? name, revision, bytes, mayHaveOwners)
    this.#assigned = revision
    const full = this.#log.isTight && !speedsRemoval({ entry, previous, remove }) ? this.#log.spare() : undefined
    if (full !== undefined) {
      this.#noteFailure(full)
      throw new StorageRefused(full)
    }
    const written = new Promise<Entry>((resolve, reject) => {
      const write = { entry, previous, remove, resolve, reject }
      this.#unsettled.add(write)
      this.#committer.add(write)
    })
    this.#newest = written
    return written
  }

  /** Publishes durable writes, then notifies listeners. */
  #show(writes: readonly Write[]): void {
    this.#noteSuccess()
    const changes: Change[] = []
    for (const write of writes) {
      const { entry, previous, remove } = write
      if (remove) this.#keyIndex.delete(entry)
      else this.#keyIndex.set(entry)
      const type = remove ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED'
      const change: Change = { type, revision: entry.revision, entry, previous }
      this.#history.add(change)
      changes.push(change)
      this.#unsettled.settle(write)
      this.#durable = entry.revision
    }
    if (changes.length > 0) this.#notify(changes)
    for (const write of writes) write.resolve(write.entry)
    const { maxChanges } = this.#options.retention
    if (this.#history.length > maxChanges * SLACK) this.#startCompacting(this.#history.revisionLeaving(maxChanges))
  }

  #notify(changes: readonly Change[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(changes)
      } catch (error) {
        this.#options.onWarning('a listener of the store failed', error)
      }
    }
  }

  /** Returns the removals to retry with the reserved space. */
  #refuse(writes: readonly Write[], error: unknown): Write[] {
    this.#unsettled.clear()
    const removals = error instanceof NoSpace ? removalsAmong(writes, this.#keyIndex) : new Set<Write>()
    const again = removals.size > 0 && this.#log.releaseReserve() ? removals : new Set<Write>()
    this.#noteFailure(error)
    const refused = new StorageRefused(error)
    for (const write of writes) if (!again.has(write)) write.reject(refused)
    return this.#retry([...again])
  }

  #retry(writes: readonly Write[]): Write[] {
    const last = writes.at(-1)
    if (last === undefined) return []
    const again = writes.slice(0, -1)
    this.#newest = new Promise<void>((settled) => {
      again.push({
        ...last,
        resolve: (entry) => {
          last.resolve(entry)
          settled()
        },
        reject: (error) => {
          last.reject(error)
          settled()
        },
      })
    })
    for (const write of again) this.#unsettled.add(write)
    return again
  }

  #noteFailure(error: unknown): void {
    const failure = error instanceof Error ? error.message : String(error)
    if (failure === this.#failure) return
    this.#failure = failure
    this.#options.onWarning('the storage refuses writes', error)
  }

  #noteSuccess(): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#options.onRecovered()
  }

  #startCompacting(revision: number): void {
    if (revision <= this.#history.compacted) return
    this.#history.compact(revision)
    this.#committer.nudge()
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== undefined) throw new Error('the store is closed')
  }
}
