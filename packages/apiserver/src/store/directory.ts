import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from './backup.js'
import { dataFile, LmdbLog } from './log.js'
import type { LogMeta } from './meta.js'
import { claimStore } from './ownership.js'
import type { Entry } from './types.js'

/** The place of the store inside a data directory. */
export function storeDirectory(directory: string): string {
  return join(directory, 'store')
}

/** Where a store waits while another takes its place. */
function replacedDirectory(directory: string): string {
  return join(directory, 'store.replaced')
}

/** Where a store is made before it takes its place. */
function partialDirectory(directory: string): string {
  return join(directory, 'store.partial')
}

export function hasStore(directory: string): boolean {
  return existsSync(dataFile(storeDirectory(directory)))
}

/** A data directory that has held a store, or was to get one, and holds none. */
export class StoreLost extends Error {
  constructor(directory: string) {
    const isRestoring = existsSync(restoringFile(directory))
    const problem = isRestoring
      ? `a restore into the data directory ${directory} was interrupted, so it has no store`
      : `the data directory ${directory} has lost its store: it was in use before, and there is no ` +
        dataFile(storeDirectory(directory))
    const again = isRestoring ? 'Run it again' : 'Restore a backup'
    super(
      `${problem}. ${again} with \`orrery apiserver restore --data ${directory} FILE\`, ` +
        'or start with --new-store to begin with an empty store',
    )
    this.name = 'StoreLost'
  }
}

/** Whether a directory without a store has had one, or was to get one: the keys of a cluster are made after its store. */
export function hasLostStore(directory: string): boolean {
  if (hasStore(directory)) return false
  return [storeDirectory(directory), join(directory, 'pki'), restoringFile(directory)].some((path) => existsSync(path))
}

/** Is there while a store is restored into a directory without one. */
function restoringFile(directory: string): string {
  return join(directory, 'restore.unfinished')
}

/** Says that a directory without a store is about to get one, so that a start does not take it for a new one. */
export async function markRestore(directory: string): Promise<void> {
  if (hasStore(directory)) return
  await writeFile(restoringFile(directory), '', { mode: 0o600 })
  await syncDirectory(directory)
}

/** Makes the directory if need be and claims it for this process; returns the way to give it up. */
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

/** A replacement that stopped half-way left the old store aside: it is still the valid one, unless the new one is there. */
function finishReplacement(directory: string): void {
  const replaced = replacedDirectory(directory)
  if (!existsSync(storeDirectory(directory)) && existsSync(replaced)) renameSync(replaced, storeDirectory(directory))
  for (const leftover of [replaced, partialDirectory(directory)]) rmSync(leftover, { recursive: true, force: true })
  if (hasStore(directory)) rmSync(restoringFile(directory), { force: true })
}

/** Node's own recursive way never ends where the system answers ENOENT for good, as it does under /proc. */
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

/** Entries that go into a new store with one commit. */
const COMMIT = 1000

/**
 * Makes a store that holds `entries` and puts it in its place, whole or not at all, instead of any that is there. The
 * caller has entered the directory.
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
