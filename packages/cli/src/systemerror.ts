import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'

/** What stands in the way of a file or directory, by the code the system gives. */
const OBSTACLES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the device'],
  ['EEXIST', 'a file is in its place'],
  ['ENOTDIR', 'a file is in its place'],
  ['EISDIR', 'it is a directory'],
  ['ENOENT', 'there is no such file or directory'],
])

/** What files are called until they are whole and get the name that was asked for. */
const PARTIAL = /\.partial-\d+$/

/** Why a path could not be used; undefined when an error is about something else. */
export function obstacleOf(error: unknown): { readonly path: string; readonly why: string } | undefined {
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  const why = OBSTACLES.get(codeOf(error as NodeJS.ErrnoException))
  if (why === undefined || path === undefined) return undefined
  return { path: (dest ?? path).replace(PARTIAL, ''), why }
}

/** The system's code. Where directories cannot be made, Node only says that they are not there: what they would be in knows. */
function codeOf({ code = '', syscall, path }: NodeJS.ErrnoException): string {
  if (code !== 'ENOENT' || syscall !== 'mkdir' || path === undefined) return code
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    try {
      accessSync(parent, constants.W_OK)
      return code
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code
      if (why !== undefined && why !== 'ENOENT') return why
      if (parent === dirname(parent)) return code
    }
  }
}

/** An error's message, in words where the system only gives a code. */
export function inWords(error: unknown): string {
  const obstacle = obstacleOf(error)
  if (obstacle !== undefined) return `${obstacle.path} cannot be used: ${obstacle.why}`
  // A write to what is open already has no path.
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC') return 'no space left on the device'
  return error instanceof Error ? error.message : String(error)
}
