import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from '@orrery/kube/log'

/**
 * Calls `refresh` when a file may have changed, one call at a time. Directories are watched, since mounted files are
 * replaced by renaming. Returns a function that stops.
 */
export function watchFiles(files: readonly string[], log: Logger, refresh: () => Promise<void>): () => void {
  const directories = new Set(files.map((file) => dirname(file)))
  let running = Promise.resolve()
  let isWaiting = false
  const onChange = () => {
    if (isWaiting) return
    isWaiting = true
    running = running.then(() => {
      isWaiting = false
      return refresh()
    })
  }
  const watchers = [...directories].flatMap((directory) => watched(directory, log, onChange) ?? [])
  return () => {
    for (const watcher of watchers) watcher.close()
  }
}

/** The machine may have no file watches left. */
function watched(directory: string, log: Logger, onChange: () => void): FSWatcher | undefined {
  const warn = (error: unknown) => log.warn('cannot watch files: changes need a restart', { directory, error })
  try {
    return watch(directory, { persistent: false }, onChange).on('error', warn)
  } catch (error) {
    warn(error)
    return undefined
  }
}
