import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from './backup.js'
import { LmdbLog } from './log.js'
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

export function hasStore(directory: string): boolean {
  return existsSync(storeDirectory(directory))
}

/** Makes the directory if need be and claims it for this process; returns the way to give it up. */
export function enterDirectory(directory: string): () => void {
  makeDirectory(directory)
  const release = claimStore(directory)
  // A replacement that stopped half-way left the old store aside: it is still the valid one.
  if (!hasStore(directory) && existsSync(replacedDirectory(directory))) {
    renameSync(replacedDirectory(directory), storeDirectory(directory))
  }
  return release
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
  const partial = `${path}.partial`
  const replaced = replacedDirectory(directory)
  await rm(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  await fill(partial, meta, entries)
  if (hasStore(directory)) {
    await rm(replaced, { recursive: true, force: true })
    await rename(path, replaced)
  }
  await rename(partial, path)
  await syncDirectory(directory)
  await rm(replaced, { recursive: true, force: true })
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
