import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'

/** Descriptions of system error codes of files and directories. */
const FILE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the device'],
  ['EEXIST', 'not a directory'],
  ['ENOTDIR', 'not a directory'],
  ['EISDIR', 'is a directory'],
  ['ENOENT', 'no such file or directory'],
])

/** The suffix of files that are not completely written yet. */
const PARTIAL = /\.partial-\d+$/

/** The path and the reason of a file system error; undefined for other errors. */
export function fileProblemOf(error: unknown): { readonly path: string; readonly why: string } | undefined {
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  const why = FILE_PROBLEMS.get(codeOf(error as NodeJS.ErrnoException))
  if (why === undefined || path === undefined) return undefined
  return { path: (dest ?? path).replace(PARTIAL, ''), why }
}

/** The system error code. Node reports ENOENT for a directory that it cannot create: the first existing parent has the cause. */
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

/** The message of an error, with system error codes in plain text. */
export function errorMessage(error: unknown): string {
  const problem = fileProblemOf(error)
  if (problem !== undefined) return `${problem.path}: ${problem.why}`
  // An error of a write to an open file has no path.
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC') return 'no space left on the device'
  return error instanceof Error ? error.message : String(error)
}
