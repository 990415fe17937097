import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Directories whose files are made, not written. */
const MADE = new Set(['node_modules', 'bundle', 'dist', '.git'])

/** Editors write a file in several steps. */
const SETTLING_MS = 100

/**
 * Calls back after files of a directory have changed, from a time on: not for files that are made from others. Changes during a
 * call cause one more call. Returns a function that stops it.
 *
 * It watches each directory: the recursive watch of Node.js 20 misses changes on Linux while it starts.
 */
export function watchSources(directory: string, since: number, onChange: () => Promise<void>): () => void {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(onChange)
    }, SETTLING_MS)
  }
  const follow = () => {
    for (const path of directoriesIn(directory)) {
      if (watchers.has(path)) continue
      const watcher = watch(path, (_, file) => {
        if (path === directory && MADE.has(file ?? '')) return
        follow()
        schedule()
      })
      watchers.set(path, watcher)
      // A directory that is deleted.
      watcher.once('error', () => watchers.delete(path))
    }
  }
  follow()
  if (hasChanged([...watchers.keys()], since)) schedule()
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  }
}

/** A directory and those in it; none if it was deleted. */
function directoriesIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  const found = readdirSync(directory, { withFileTypes: true }).filter(
    (item) => item.isDirectory() && !MADE.has(item.name),
  )
  return [directory, ...found.flatMap(({ name }) => directoriesIn(join(directory, name)))]
}

function hasChanged(directories: readonly string[], since: number): boolean {
  return directories.some((directory) =>
    readdirSync(directory, { withFileTypes: true }).some(
      (item) => item.isFile() && statSync(join(directory, item.name)).mtimeMs > since,
    ),
  )
}
