import { type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { type LogMeta, writeMeta } from './meta.js'
import { type LogRecord, readRecord, recordSizeLimit, writeRecord, writeRevision } from './record.js'
import { FULL, RESERVE_BYTES, Reserve, roomOn } from './reserve.js'
import { NoSpace, StoreRemoved } from './types.js'

/** A set of changes that is committed atomically. */
export interface LogCommit {
  /** In order of revision, each newer than anything in the log. */
  readonly append: readonly LogRecord[]
  readonly drop: readonly number[]
  readonly meta: LogMeta | undefined
}

/** The durable part of the store: records by revision. */
export interface Log {
  /** Resolves when everything is on disk. Rejects if nothing of it will be there after the next commit. */
  commit(commit: LogCommit): Promise<void>
  read(revision: number): LogRecord
  /** Returns why commits cannot succeed, as far as known without one; undefined if no problem is known. */
  problem(): Error | undefined
  /** Whether the reserve for removals is in use: then `spare` must permit writes that add data. */
  readonly isTight: boolean
  /**
   * Returns why there is only space for removals; if there is enough space, creates the reserve again and returns
   * undefined.
   */
  spare(): Error | undefined
  /** Releases the reserve for removals. Returns whether there was one. */
  releaseReserve(): boolean
  close(): Promise<void>
}

/** The log contains revisions that this process did not write, so its state in memory is wrong. */
export class AnotherWriter extends Error {
  constructor(directory: string) {
    super(`another process has written to ${directory}: stop all but one and start again`)
    this.name = 'AnotherWriter'
  }
}

/** Address space, not memory or disk. The map grows automatically beyond this, at the cost of remapping. */
const MAP_SIZE = 16 * 2 ** 30
const SCRATCH = 256 * 1024

/** Fills pages completely, and refuses a key that is not greater than the last. */
const APPEND = { append: true } as const

/** The numbers of pages of a tree. */
interface TreeStats {
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

/** What the types of `lmdb` omit: the options of `put`, and the numbers of pages. */
interface Appending {
  put(key: Buffer, value: Buffer, options: typeof APPEND): Promise<boolean>
  getStats(): { pageSize: number; lastPageNumber: number; root: TreeStats; free: TreeStats }
}

export type Database = Omit<RootDatabase<Buffer, Buffer>, 'getStats'> & Appending

/**
 * The log in LMDB. Plain LMDB commits (`overlappingSync: false`) are on disk when their promise resolves, and with one
 * batch for each group they are at least as fast as the other modes.
 */
export class LmdbLog implements Log {
  readonly #directory: string
  readonly #path: string
  readonly #open: (directory: string) => Database
  readonly #key = Buffer.alloc(8)
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH)
  readonly #reserve: Reserve
  /** The file that LMDB has open. It stays open if it is removed or replaced. */
  #file: Stats
  /** Undefined while it is being reopened. */
  #opened: Database | undefined
  /** Revisions of failed commits. If one reached the disk after all, the next commit removes it. */
  #abandoned: number[] = []
  #suspect = false
  #foreign = false

  constructor(directory: string, open = openDatabase) {
    this.#directory = directory
    this.#path = dataFile(directory)
    this.#open = open
    this.#opened = open(directory)
    this.#file = statSync(this.#path)
    this.#reserve = new Reserve(directory)
  }

  async commit(commit: LogCommit): Promise<void> {
    if (this.#foreign) throw new AnotherWriter(this.#directory)
    if (this.#suspect) await this.#reopen()
    const database = this.#database
    const abandoned = this.#abandoned
    let appended: Promise<boolean>[] = []
    try {
      await database.batch(() => {
        for (const revision of abandoned) void database.remove(this.#keyOf(revision))
        for (const revision of commit.drop) void database.remove(this.#keyOf(revision))
        appended = this.#append(database, commit.append)
        if (commit.meta !== undefined) void database.put(this.#keyOf(0), writeMeta(commit.meta))
      })
      const problem = this.problem()
      if (problem !== undefined) throw problem
      this.#abandoned = []
    } catch (error) {
      await Promise.allSettled(appended)
      this.#suspect = true
      this.#abandoned = abandoned.concat(commit.append.map((record) => record.entry.revision))
      throw error instanceof StoreRemoved ? error : await this.#reason(error, sizeOf(commit.append))
    }
    // Revisions increase: if the first is greater than everything in the log, so are the others.
    this.#foreign = (await appended[0]) === false
    if (this.#foreign) throw new AnotherWriter(this.#directory)
  }

  read(revision: number): LogRecord {
    const data = this.#database.getBinary(this.#keyOf(revision))
    if (data === undefined) throw new Error(`the log has no record of revision ${revision}`)
    return readRecord(revision, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  }

  /** A removed or replaced file still accepts commits, which would be lost. */
  problem(): Error | undefined {
    const named = statSync(this.#path, { throwIfNoEntry: false })
    const isThere = named !== undefined && named.ino === this.#file.ino && named.dev === this.#file.dev
    return isThere ? undefined : new StoreRemoved(this.#path)
  }

  get isTight(): boolean {
    return this.#reserve.isReleased
  }

  spare(): Error | undefined {
    if (this.#reserve.takeNow()) return undefined
    if (this.#opened !== undefined && freeBytes(this.#opened) >= RESERVE_BYTES) return undefined
    return new NoSpace(this.#directory)
  }

  releaseReserve(): boolean {
    return this.#reserve.release()
  }

  /** Keeps disk space for removals. */
  keepReserve(): void {
    this.#reserve.takeSoon()
  }

  async close(): Promise<void> {
    await this.#reserve.close()
    await this.#opened?.close()
  }

  get #database(): Database {
    if (this.#opened === undefined) throw new Error(`${this.#directory} could not be reopened after a failure`)
    return this.#opened
  }

  #append(database: Database, records: readonly LogRecord[]): Promise<boolean>[] {
    const size = sizeOf(records)
    // LMDB reads the values from another thread until the commit ends. There is only one commit at a time.
    const target = size <= SCRATCH ? this.#scratch : Buffer.allocUnsafeSlow(size)
    let start = 0
    return records.map((record) => {
      const end = writeRecord(record, target, start)
      const value = target.subarray(start, end)
      start = end
      return database.put(this.#keyOf(record.entry.revision), value, APPEND)
    })
  }

  /** LMDB copies the key immediately, so one buffer is enough. */
  #keyOf(revision: number): Buffer {
    writeRevision(revision, this.#key)
    return this.#key
  }

  /** After a failed commit LMDB may refuse everything or hang, so the environment is reopened. */
  async #reopen(): Promise<void> {
    // Opening would create an empty file in place of a removed one.
    const problem = this.problem()
    if (problem !== undefined) throw problem
    const suspect = this.#opened
    this.#opened = undefined
    await suspect?.close()
    this.#opened = this.#open(this.#directory)
    this.#suspect = false
  }

  /** LMDB reports a write that a full disk cut short as an I/O error, so the free space is checked. */
  async #reason(error: unknown, size: number): Promise<Error> {
    const cause: unknown = await (error as { commitError?: Promise<never> }).commitError?.catch((why: unknown) => why)
    if (roomOn(this.#directory) < FULL + size) return new NoSpace(this.#directory, cause)
    return cause instanceof Error ? cause : (error as Error)
  }
}

function sizeOf(records: readonly LogRecord[]): number {
  let size = 0
  for (const record of records) size += recordSizeLimit(record)
  return size
}

/** Returns the bytes of the file that no tree uses: space for commits that needs no more disk. */
function freeBytes(database: Database): number {
  const { pageSize, lastPageNumber, root, free } = database.getStats()
  const pages = (tree: TreeStats) => tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages
  return (lastPageNumber + 1 - 2 - pages(root) - pages(free)) * pageSize
}

/** Opens the LMDB environment in a directory. */
export function openDatabase(directory: string): Database {
  const options = {
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    mapSize: MAP_SIZE,
    overlappingSync: false,
    eventTurnBatching: false,
    permissionsMode: 0o600,
  } as const
  return open<Buffer, Buffer>(options) as unknown as Database
}

/** The data file of LMDB. */
export function dataFile(directory: string): string {
  return join(directory, 'data.mdb')
}
