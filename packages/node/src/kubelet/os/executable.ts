import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * The file that a command's name stands for: the name itself when it is a path, else what the search path leads to;
 * undefined when that is nothing that can be run. A name that is a relative path is one of the directory it runs in.
 */
export async function findExecutable(name: string, path: string, directory: string): Promise<string | undefined> {
  const candidates = name.includes('/')
    ? [isAbsolute(name) ? name : join(directory, name)]
    : path.split(delimiter).flatMap((one) => (isAbsolute(one) ? [join(one, name)] : []))
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
