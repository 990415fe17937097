import { randomInt } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only the owner may read, atomically. A file with the same content is not written: a fleet can
 * start on a full disk.
 */
export async function writePrivately(file: string, text: string): Promise<void> {
  if ((await readIfThere(file)) === text) return chmod(file, 0o600)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.partial-${randomInt(2 ** 47)}`
  try {
    const handle = await open(partial, 'wx', 0o600)
    try {
      await handle.writeFile(text)
    } finally {
      await handle.close()
    }
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
