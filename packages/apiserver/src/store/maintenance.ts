import { existsSync, statSync } from 'node:fs'
import { readBackup } from './backup.js'
import { createStore, enterDirectory, hasStore, markRestore, storeDirectory } from './directory.js'
import { loadState } from './load.js'
import { dataFile } from './log.js'
import type { LoadedState } from './store.js'

/**
 * The increase of the revision on restore. Clients may know revisions newer than the backup. After the increase all of
 * them are compacted, so that their watches end with 410 Gone and they list again, and no revision is reused.
 */
export const RESTORE_JUMP = 1_000_000_000

export interface StoreSummary {
  readonly cluster: string
  readonly revision: number
  readonly compactedRevision: number
  readonly objects: number
  /** The number of objects by bucket. */
  readonly buckets: ReadonlyMap<string, number>
  readonly fileBytes: number
}

/** Creates a store from a backup. Throws if the directory already has a store, unless `force` is set. */
export async function restore(file: string, directory: string, options: { force?: boolean } = {}): Promise<void> {
  const { header, entries } = await readBackup(file)
  const release = await enterDirectory(directory)
  try {
    if (hasStore(directory) && options.force !== true) {
      throw new Error(`${directory} already contains data: restore into another directory, or replace it with --force`)
    }
    const revision = header.revision + RESTORE_JUMP
    await markRestore(directory)
    await createStore(directory, { format: 1, cluster: header.cluster, compacted: revision, revision }, entries)
  } finally {
    release()
  }
}

/** Summarises a store that no process has open. */
export async function inspect(directory: string): Promise<StoreSummary> {
  return withLoaded(directory, ({ cluster, revision, keyIndex, history }) => {
    const buckets = new Map<string, number>()
    for (const bucket of keyIndex.buckets()) buckets.set(bucket, keyIndex.count(bucket))
    const objects = [...buckets.values()].reduce((sum, count) => sum + count, 0)
    const fileBytes = statSync(dataFile(storeDirectory(directory))).size
    return { cluster, revision, compactedRevision: history.compacted, objects, buckets, fileBytes }
  })
}

/** Rewrites a store that no process has open with only its current objects, which returns space to the file system. */
export async function compactStore(directory: string): Promise<void> {
  await withLoaded(directory, ({ cluster, revision, keyIndex }) =>
    createStore(directory, { format: 1, cluster, compacted: revision, revision }, keyIndex.all()),
  )
}

async function withLoaded<T>(directory: string, use: (state: LoadedState) => T | Promise<T>): Promise<T> {
  // Locking would create the directory.
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
  return new Error(`${directory} contains no data: specify the data directory of a server`)
}

function neverRead(revision: number): never {
  throw new Error(`revision ${revision} is not read here`)
}
