import { constants, existsSync } from 'node:fs'
import { chmod, open, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'

const DESCRIPTORS = '/proc/self/fd'
/** Of Linux; Node.js has no name for it. */
const O_PATH = 0o10000000
const HELD = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Each level takes a descriptor. What is deeper is moved up first. */
const DEEPEST = 100
/** For how long a tree that changes is tried again, in milliseconds: only some pods are removed at a time. */
const TIMEOUT_MS = 10_000
/** What somebody who changes a tree while it is removed can cause, and what is left of deep ones. */
const CHANGED = new Set(['EEXIST', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY'])

/**
 * Removes what a pod has written. A program can still hold a directory of it open, if another container has passed
 * it one, and put a link where a directory was. So each directory is opened without following links, and what is in
 * it is named by the descriptor. Names may be no UTF-8, trees deeper than any path, directories closed to their owner.
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
