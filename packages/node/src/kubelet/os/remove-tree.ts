import { constants, existsSync } from 'node:fs'
import { chmod, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'

const DESCRIPTORS = '/proc/self/fd'
/** A Linux flag that Node.js does not name. */
const O_PATH = 0o10000000
const HELD = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Each level needs a descriptor. Deeper trees are moved up first. */
const DEEPEST = 100
/**
 * How long to retry a tree that changes during the removal, in milliseconds. It is limited because a limited number of
 * pods is removed at a time.
 */
const TIMEOUT_MS = 10_000
/** Errors caused by concurrent changes of the tree, and by the rest of deep trees. */
const CHANGED = new Set(['EEXIST', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY'])

/**
 * Removes the files of a pod. A program can still have a directory open, if another container passed it one, and
 * replace a directory by a link. Therefore each directory is opened without following links, and its entries are named
 * through the descriptor. Names may not be UTF-8, trees may be deeper than any path, and directories may be
 * inaccessible to their owner.
 */
export async function removeTree(path: string): Promise<void> {
  if (!existsSync(DESCRIPTORS)) return rm(path, { recursive: true, force: true })
  const end = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await remove(Buffer.from(path), undefined, 0)
    } catch (error) {
      if (performance.now() > end || !CHANGED.has(codeOf(error))) throw error
    }
  }
}

let moved = 0

async function remove(path: Buffer, top: string | undefined, depth: number): Promise<void> {
  try {
    return await unlink(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    if (codeOf(error) !== 'EISDIR') throw error
  }
  const held = await open(path, HELD)
  try {
    const here = `${DESCRIPTORS}/${held.fd}`
    await chmod(here, 0o700)
    for (const name of await readdir(here, { encoding: 'buffer' })) {
      const child = Buffer.concat([Buffer.from(`${here}/`), name])
      if (depth < DEEPEST || top === undefined) await remove(child, top ?? here, depth + 1)
      else await rename(child, `${top}/.removed-${moved++}`)
    }
  } finally {
    await held.close()
  }
  await rmdir(path)
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
