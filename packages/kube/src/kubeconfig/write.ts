import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Document } from 'yaml'
import { formatKubeconfig, plainKubeconfig, YAML_OUT } from './format.js'
import { parseKubeconfig } from './parse.js'
import { type Kubeconfig, KubeconfigError } from './types.js'

/** How long, and how often, to wait for the lock of another writer. */
const LOCK_PAUSE_MS = 50
const LOCK_TRIES = 100

/** Writes a kubeconfig that only its owner can read, atomically. */
export async function writeKubeconfig(path: string, kubeconfig: Kubeconfig): Promise<void> {
  await replaceFile(path, await formatKubeconfig(kubeconfig))
}

export interface MergeOptions {
  /** Make the addition's current context the file's. Default true. */
  readonly setCurrent?: boolean
}

/**
 * Adds the entries of `addition` to a kubeconfig file, which is created if it does not exist. Entries of the same
 * name are replaced; everything else stays, including comments.
 */
export async function mergeIntoKubeconfig(
  path: string,
  addition: Kubeconfig,
  options: MergeOptions = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unlock = await lock(path)
  try {
    const text = await textOf(path)
    // Rejects a file that is no kubeconfig before it is written.
    await parseKubeconfig(text, path)
    const merged = await mergedText(text, addition, options.setCurrent ?? true)
    if (merged !== text) await replaceFile(path, merged)
  } finally {
    await unlock()
  }
}

async function mergedText(text: string, addition: Kubeconfig, setCurrent: boolean): Promise<string> {
  const { isMap, parseDocument } = await import('yaml')
  const document: Document = parseDocument(text, { version: '1.1' })
  const { apiVersion, kind, clusters, users, contexts, 'current-context': current } = plainKubeconfig(addition)
  if (!isMap(document.contents)) document.contents = document.createNode({ apiVersion, kind })
  for (const [list, entries] of Object.entries({ clusters, contexts, users })) {
    for (const entry of entries) putEntry(document, list, entry, isMap)
  }
  if (current !== '' && (setCurrent || !document.get('current-context'))) document.set('current-context', current)
  return document.toString(YAML_OUT)
}

function putEntry(
  document: Document,
  list: string,
  entry: { readonly name: string },
  isMap: typeof import('yaml').isMap,
): void {
  const node = document.get(list)
  const items = (node as { items?: unknown[] } | null | undefined)?.items
  if (items === undefined) {
    document.set(list, document.createNode([entry]))
    return
  }
  const index = items.findIndex((item) => isMap(item) && item.get('name') === entry.name)
  if (index < 0) items.push(document.createNode(entry))
  else items[index] = document.createNode(entry)
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Replaces the target of a symbolic link, not the link. */
async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const temporary = `${target}.${Math.random().toString(36).slice(2)}.tmp`
  // Fails if it exists already, even as a link, so that other users cannot place a file there beforehand.
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(temporary, target)
  } catch (error) {
    await file.close()
    await rm(temporary, { force: true })
    throw error
  }
}

/** The lock of kubectl and client-go: a file beside the kubeconfig. */
async function lock(path: string): Promise<() => Promise<void>> {
  const lockFile = `${path}.lock`
  for (let tries = 1; ; tries++) {
    try {
      const file = await open(lockFile, 'wx', 0)
      await file.close()
      return () => rm(lockFile, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (tries === LOCK_TRIES) {
        throw new KubeconfigError(path, `another program is writing it: if none is, remove ${lockFile}`)
      }
    }
    await delay(LOCK_PAUSE_MS)
  }
}
