import { watch } from 'node:fs'
import { sep } from 'node:path'

/** Directories whose files are made, not written. */
const MADE = new Set(['node_modules', 'bundle', 'dist', '.git'])

/** Editors write a file in several steps. */
const SETTLING_MS = 100

/**
 * Calls back after files of a directory have changed: not for files that are made from others, and not again while a call runs.
 * Changes meanwhile cause one more call. Returns a function that stops it.
 */
export function watchSources(directory: string, onChange: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let hasChanged = false
  const run = async () => {
    if (isRunning) {
      hasChanged = true
      return
    }
    isRunning = true
    do {
      hasChanged = false
      await onChange()
    } while (hasChanged)
    isRunning = false
  }
  const watcher = watch(directory, { recursive: true }, (_, file) => {
    if (file?.split(sep).some((part) => MADE.has(part))) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(), SETTLING_MS)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
