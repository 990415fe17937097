import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from './backup.js'
import { dataFile, LmdbLog } from './log.js'
import type { LogMeta } from './meta.js'
import { claimStore } from './ownership.js'
import type { Entry } from './types.js'

/** The path of the store in a data directory. */
export function storeDirectory(directory: string): string {
  return join(directory, 'store')
}

/** The path of a store while it is being replaced. */
function replacedDirectory(directory: string): string {
  return join(directory, 'store.replaced')
}

/** The path of a new store before it is moved to its place. */
function partialDirectory(directory: string): string {
  return join(directory, 'store.partial')
}

export function hasStore(directory: string): boolean {
  return existsSync(dataFile(storeDirectory(directory)))
}

/** The data directory contained a store, or was to get one, and has none. */
export class StoreLost extends Error {
  constructor(directory: string) {
    const isRestoring = existsSync(restoringFile(directory))
    const problem = isRestoring
      ? `a restore into the data directory ${directory} was interrupted, so it has no store`
      : `the data directory ${directory} has lost its store: it was used before, and there is no ` +
        dataFile(storeDirectory(directory))
    const again = isRestoring ? 'Run the restore again' : 'Restore a backup'
    super(
      `${problem}. ${again} with \`orrery apiserver restore --data ${directory} FILE\`, ` +
        'or use --new-store to start with an empty store',
    )
    this.name = 'StoreLost'
  }
}

/**
 * Returns whether a directory without a store had one or was to get one: the keys of a cluster are created after its
 * store.
 */
export function hasLostStore(directory: string): boolean {
  if (hasStore(directory)) return false
  return [storeDirectory(directory), join(directory, 'pki'), restoringFile(directory)].some((path) => existsSync(path))
}

/** The marker file that exists while a store is restored into a directory without one. */
function restoringFile(directory: string): string {
  return join(directory, 'restore.unfinished')
}

/** Marks a directory without a store as being restored, so that a start does not take it for a new one. */
export async function markRestore(directory: string): Promise<void> {
  if (hasStore(directory)) return
  await writeFile(restoringFile(directory), '', { mode: 0o600 })
  await syncDirectory(directory)
}

/** Creates the directory if needed and locks it for this process. Returns a function that unlocks it. */
export async function enterDirectory(directory: string): Promise<() => void> {
  makeDirectory(directory)
  const release = await claimStore(directory)
  try {
    finishReplacement(directory)
    return release
  } catch (error) {
    release()
    throw error
  }
}

/** Completes an interrupted replacement: the old store is still valid unless the new one is in place. */
function finishReplacement(directory: string): void {
  const replaced = replacedDirectory(directory)
  if (!existsSync(storeDirectory(directory)) && existsSync(replaced)) renameSync(replaced, storeDirectory(directory))
  for (const leftover of [replaced, partialDirectory(directory)]) rmSync(leftover, { recursive: true, force: true })
  if (hasStore(directory)) rmSync(restoringFile(directory), { force: true })
}

/** The recursive mkdir of Node.js never ends if the system keeps returning ENOENT, as it does under /proc. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    makeDirectory(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }
}

/** The number of entries for each commit of a new store. */
const COMMIT = 1000

/**
 * Creates a store with `entries` and moves it atomically to its place, replacing an existing one. The caller has locked
 * the directory.
 */
export async function createStore(directory: string, meta: LogMeta, entries: readonly Entry[]): Promise<void> {
  const path = storeDirectory(directory)
  const partial = partialDirectory(directory)
  const replaced = replacedDirectory(directory)
  await rm(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  await fill(partial, meta, entries)
  if (existsSync(path)) {
    await rm(replaced, { recursive: true, force: true })
    await rename(path, replaced)
  }
  await rename(partial, path)
  await syncDirectory(directory)
  await rm(replaced, { recursive: true, force: true })
  await rm(restoringFile(directory), { force: true })
}

async function fill(path: string, meta: LogMeta, entries: readonly Entry[]): Promise<void> {
  const log = new LmdbLog(path)
  try {
    await log.commit({ append: [], drop: [], meta })
    const records = entries.toSorted((a, b) => a.revision - b.revision).map((entry) => ({ entry, remove: false }))
    for (let at = 0; at < records.length; at += COMMIT) {
      await log.commit({ append: records.slice(at, at + COMMIT), drop: [], meta: undefined })
    }
  } finally {
    await log.close()
  }
  await syncDirectory(path)
}
