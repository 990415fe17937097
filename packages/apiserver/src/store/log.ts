import { type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { type LogMeta, writeMeta } from './meta.js'
import { type LogRecord, readRecord, recordSizeLimit, writeRecord, writeRevision } from './record.js'
import { FULL, RESERVE_BYTES, Reserve, roomOn } from './reserve.js'
import { NoSpace, StoreRemoved } from './types.js'

/** What goes to disk together or not at all. */
export interface LogCommit {
  /** In order of revision, each newer than anything in the log. */
  readonly append: readonly LogRecord[]
  readonly drop: readonly number[]
  readonly meta: LogMeta | undefined
}

/** The durable part of the store: records by revision. */
export interface Log {
  /** Resolves when all of it is on disk. Rejects when nothing of it will be there after the next commit. */
  commit(commit: LogCommit): Promise<void>
  read(revision: number): LogRecord
  /** Why no commit can be kept, as far as that shows without one; undefined when nothing speaks against it. */
  problem(): Error | undefined
  /** Whether the reserve for removals is in use: then a write that adds something needs the permission of `spare`. */
  readonly isTight: boolean
  /** Why there is no room for more than removals; undefined when there is. Then it takes the reserve back. */
  spare(): Error | undefined
  /** Gives the reserve to removals. Returns whether there was one to give. */
  releaseReserve(): boolean
  close(): Promise<void>
}

/** The log holds revisions that this process did not write, so its picture of the data is wrong. */
export class AnotherWriter extends Error {
  constructor(directory: string) {
    super(`another process has written to ${directory}; stop all but one and start again`)
    this.name = 'AnotherWriter'
  }
}

/** Address space, not memory or disk. The map grows by itself beyond this, at the price of mapping anew. */
const MAP_SIZE = 16 * 2 ** 30
const SCRATCH = 256 * 1024

/** Fills pages to the brim, and refuses a key that is not beyond the last. */
const APPEND = { append: true } as const

/** How many pages a tree has. */
interface TreeStats {
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

/** What `lmdb` leaves out of its types: the options of `put`, and the numbers of pages. */
interface Appending {
  put(key: Buffer, value: Buffer, options: typeof APPEND): Promise<boolean>
  getStats(): { pageSize: number; lastPageNumber: number; root: TreeStats; free: TreeStats }
}

export type Database = Omit<RootDatabase<Buffer, Buffer>, 'getStats'> & Appending

/**
 * The log in LMDB. Plain LMDB commits (`overlappingSync: false`) are on disk when their promise resolves, and with one
 * batch a group they are at least as fast as its other modes.
 */
export class LmdbLog implements Log {
  readonly #directory: string
  readonly #open: (directory: string) => Database
  readonly #key = Buffer.alloc(8)
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH)
  readonly #reserve: Reserve
  /** The file that LMDB has open, which stays open when it is removed or replaced. */
  #file: Stats
  /** Undefined while it is opened again. */
  #opened: Database | undefined
  /** Revisions of commits that failed. Should one have reached the disk after all, the next commit removes it. */
  #abandoned: number[] = []
  #suspect = false
  #foreign = false

  constructor(directory: string, open = openDatabase) {
    this.#directory = directory
    this.#open = open
    this.#opened = open(directory)
    this.#file = statSync(dataFile(directory))
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
    // Revisions rise: when the first of them is beyond everything in the log, so are the others.
    this.#foreign = (await appended[0]) === false
    if (this.#foreign) throw new AnotherWriter(this.#directory)
  }

  read(revision: number): LogRecord {
    const data = this.#database.getBinary(this.#keyOf(revision))
    if (data === undefined) throw new Error(`the log has no record of revision ${revision}`)
    return readRecord(revision, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  }

  /** A file without a name, or with another's, takes commits like any other, and nobody ever finds them again. */
  problem(): Error | undefined {
    const named = statSync(dataFile(this.#directory), { throwIfNoEntry: false })
    const isThere = named !== undefined && named.ino === this.#file.ino && named.dev === this.#file.dev
    return isThere ? undefined : new StoreRemoved(dataFile(this.#directory))
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

  /** Keeps room for removals. */
  keepReserve(): void {
    this.#reserve.takeSoon()
  }

  async close(): Promise<void> {
    await this.#reserve.close()
    await this.#opened?.close()
  }

  get #database(): Database {
    if (this.#opened === undefined) throw new Error(`${this.#directory} could not be opened again after a failure`)
    return this.#opened
  }

  #append(database: Database, records: readonly LogRecord[]): Promise<boolean>[] {
    const size = sizeOf(records)
    // LMDB reads the values from another thread until the commit ends; there is only ever one commit under way.
    const target = size <= SCRATCH ? this.#scratch : Buffer.allocUnsafeSlow(size)
    let start = 0
    return records.map((record) => {
      const end = writeRecord(record, target, start)
      const value = target.subarray(start, end)
      start = end
      return database.put(this.#keyOf(record.entry.revision), value, APPEND)
    })
  }

  /** LMDB copies the key at once, so one buffer does for all. */
  #keyOf(revision: number): Buffer {
    writeRevision(revision, this.#key)
    return this.#key
  }

  /** After a failed commit LMDB may refuse everything, or wait for ever: only a fresh start is known to work. */
  async #reopen(): Promise<void> {
    // Opening would make an empty file in the place of one that is gone.
    const problem = this.problem()
    if (problem !== undefined) throw problem
    const suspect = this.#opened
    this.#opened = undefined
    await suspect?.close()
    this.#opened = this.#open(this.#directory)
    this.#suspect = false
  }

  /** LMDB reports a write cut short by a full disk as an I/O error; the file system knows better. */
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

/** What the file holds that no tree uses any more: room for commits that needs no room on the disk. */
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

/** The file LMDB keeps its data in. */
export function dataFile(directory: string): string {
  return join(directory, 'data.mdb')
}
