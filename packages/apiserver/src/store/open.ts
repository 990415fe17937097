import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@orrery/kube'
import { createStore, enterDirectory, hasStore, storeDirectory } from './directory.js'
import { loadState } from './load.js'
import { LmdbLog } from './log.js'
import { DEFAULT_RETENTION, type RetentionOptions } from './retention.js'
import { LogStore } from './store.js'
import type { Store } from './types.js'

export interface StoreOptions {
  readonly clock?: Clock
  /** How much history is kept. */
  readonly retention?: RetentionOptions
  /** Told about failures that nobody's call reports. Nothing unless told. */
  readonly onWarning?: (message: string, error: unknown) => void
}

/** Opens the store in a data directory, or creates it. Throws `StoreInUse` or `StoreDamaged`. */
export async function openStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  const release = enterDirectory(directory)
  try {
    if (!hasStore(directory)) {
      await createStore(directory, { format: 1, cluster: randomUUID(), compacted: 0, revision: 0 }, [])
    }
    const path = storeDirectory(directory)
    const retention = { ...DEFAULT_RETENTION, ...options.retention }
    const state = loadState(path, retention.warmBytes, (revision) => log.read(revision).entry)
    const log = new LmdbLog(path)
    return new LogStore(log, state, {
      clock: options.clock ?? systemClock,
      retention,
      onWarning: options.onWarning ?? (() => undefined),
      onClosed: release,
    })
  } catch (error) {
    release()
    throw error
  }
}
