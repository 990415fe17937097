import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { createStore, enterDirectory, hasLostStore, hasStore, StoreLost, storeDirectory } from './directory.js'
import { loadState } from './load.js'
import { LmdbLog } from './log.js'
import { DEFAULT_RETENTION, type RetentionOptions } from './retention.js'
import { LogStore } from './store.js'
import type { Store } from './types.js'

export interface StoreOptions {
  readonly clock?: Clock
  /** How much history is kept. */
  readonly retention?: RetentionOptions
  /** Called for failures that no caller gets. Defaults to ignoring them. */
  readonly onWarning?: (message: string, error: unknown) => void
  /** Called when writes succeed again after a failure. */
  readonly onRecovered?: () => void
  /** Whether to create an empty store in a directory that has lost its store. Defaults to false: it is an error. */
  readonly newStore?: boolean
  /** Whether the directory is known to have had a store, even if nothing in it shows that. Defaults to false. */
  readonly hadStore?: boolean
}

/** Opens or creates the store in a data directory. Throws `StoreInUse`, `StoreLost` or `StoreDamaged`. */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  const release = await enterDirectory(directory)
  try {
    const isLost = hasLostStore(directory) || (options.hadStore === true && !hasStore(directory))
    if (isLost && options.newStore !== true) throw new StoreLost(directory)
    if (!hasStore(directory)) {
      await createStore(directory, { format: 1, cluster: randomUUID(), compacted: 0, revision: 0 }, [])
    }
    const path = storeDirectory(directory)
    const retention = { ...DEFAULT_RETENTION, ...options.retention }
    const state = loadState(path, retention.warmBytes, (revision) => log.read(revision).entry)
    const log = new LmdbLog(path)
    log.keepReserve()
    return new LogStore(log, state, {
      clock: options.clock ?? systemClock,
      retention,
      onWarning: options.onWarning ?? (() => undefined),
      onRecovered: options.onRecovered ?? (() => undefined),
      onClosed: release,
    })
  } catch (error) {
    release()
    throw error
  }
}
