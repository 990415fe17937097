import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * Returns the file of a command: the name itself if it is a path, otherwise the first match in the search path;
 * undefined if there is no executable. A relative path is resolved in the working directory.
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
