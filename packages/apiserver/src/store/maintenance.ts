import { existsSync, statSync } from 'node:fs'
import { readBackup } from './backup.js'
import { createStore, enterDirectory, hasStore, markRestore, storeDirectory } from './directory.js'
import { loadState } from './load.js'
import { dataFile } from './log.js'
import type { LoadedState } from './store.js'

/**
 * How far revisions jump on restore. Clients may hold revisions newer than the backup. After the jump every one of
 * them lies in compacted history, so their watches end with 410 Gone and they list again, and none of those revisions
 * is ever given out a second time.
 */
export const RESTORE_JUMP = 1_000_000_000

export interface StoreSummary {
  readonly cluster: string
  readonly revision: number
  readonly compactedRevision: number
  readonly objects: number
  /** Objects by bucket. */
  readonly buckets: ReadonlyMap<string, number>
  readonly fileBytes: number
}

/** Makes a store out of a backup. Throws when the directory has a store already, unless `force` is set. */
export async function restore(file: string, directory: string, options: { force?: boolean } = {}): Promise<void> {
  const { header, entries } = await readBackup(file)
  const release = await enterDirectory(directory)
  try {
    if (hasStore(directory) && options.force !== true) {
      throw new Error(`${directory} holds data already: restore into another directory, or replace it with --force`)
    }
    const revision = header.revision + RESTORE_JUMP
    await markRestore(directory)
    await createStore(directory, { format: 1, cluster: header.cluster, compacted: revision, revision }, entries)
  } finally {
    release()
  }
}

/** What is in a store that nobody has open. */
export async function inspect(directory: string): Promise<StoreSummary> {
  return withLoaded(directory, ({ cluster, revision, keyIndex, history }) => {
    const buckets = new Map<string, number>()
    for (const bucket of keyIndex.buckets()) buckets.set(bucket, keyIndex.count(bucket))
    const objects = [...buckets.values()].reduce((sum, count) => sum + count, 0)
    const fileBytes = statSync(dataFile(storeDirectory(directory))).size
    return { cluster, revision, compactedRevision: history.compacted, objects, buckets, fileBytes }
  })
}

/** Rewrites a store that nobody has open with its live objects only, and gives the space back to the file system. */
export async function compactStore(directory: string): Promise<void> {
  await withLoaded(directory, ({ cluster, revision, keyIndex }) =>
    createStore(directory, { format: 1, cluster, compacted: revision, revision }, keyIndex.all()),
  )
}

async function withLoaded<T>(directory: string, use: (state: LoadedState) => T | Promise<T>): Promise<T> {
  // Entering would make the directory.
  if (!existsSync(directory)) throw noData(directory)
  const release = await enterDirectory(directory)
  try {
    if (!hasStore(directory)) throw noData(directory)
    return await use(loadState(storeDirectory(directory), 0, neverRead))
  } finally {
    release()
  }
}

function noData(directory: string): Error {
  return new Error(`${directory} holds no data: give the directory a server was started with`)
}

function neverRead(revision: number): never {
  throw new Error(`nobody asks for revision ${revision} here`)
}
