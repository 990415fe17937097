import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { parseKubeconfig } from './parse.js'
import { type Cluster, type Entry, type Kubeconfig, KubeconfigError, type User } from './types.js'

export type Environment = Readonly<Record<string, string | undefined>>

export interface LoadOptions {
  /** The only file to read; it must exist. Default: those in `KUBECONFIG`, else `~/.kube/config`. */
  readonly path?: string | undefined
  /** Default: of the process. */
  readonly environment?: Environment
}

/**
 * Reads the kubeconfig that kubectl would. The first of several files to set an entry, or the current context, wins;
 * missing ones are skipped. Paths in the result are absolute.
 */
export async function loadKubeconfig(options: LoadOptions = {}): Promise<Kubeconfig> {
  const configs: Kubeconfig[] = []
  for (const path of kubeconfigPaths(options)) {
    const text = await readIfThere(path)
    if (text !== undefined) configs.push(withAbsolutePaths(await parseKubeconfig(text, path)))
    else if (options.path !== undefined) throw new KubeconfigError(path, 'the file does not exist')
  }
  return mergeKubeconfigs(configs)
}

/** The files that `loadKubeconfig` reads, whether they exist or not. */
export function kubeconfigPaths({ path, environment = process.env }: LoadOptions = {}): string[] {
  if (path !== undefined) return [resolve(path)]
  const named = environment.KUBECONFIG ?? ''
  if (named === '') return [join(environment.HOME || homedir(), '.kube', 'config')]
  const paths = named.split(delimiter).filter((one) => one !== '')
  return [...new Set(paths.map((one) => resolve(one)))]
}

/** Merges kubeconfigs: the first to set an entry wins, and entries are not mixed. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: configs.flatMap(({ files }) => files),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: firstOfEach(configs.map(({ clusters }) => clusters)),
    users: firstOfEach(configs.map(({ users }) => users)),
    contexts: firstOfEach(configs.map(({ contexts }) => contexts)),
  }
}

function firstOfEach<T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> {
  return new Map(maps.toReversed().flatMap((entries) => [...entries]))
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new KubeconfigError(path, `cannot be read (${code})`, { cause: error })
  }
}

const CLUSTER_PATHS = ['certificate-authority'] as const
const USER_PATHS = ['client-certificate', 'client-key', 'tokenFile'] as const

function withAbsolutePaths(config: Kubeconfig): Kubeconfig {
  return { ...config, clusters: mapValues(config.clusters, clusterFrom), users: mapValues(config.users, userFrom) }
}

function clusterFrom({ value, file }: Entry<Cluster>): Cluster {
  return resolveFields(value, CLUSTER_PATHS, file)
}

function userFrom({ value, file }: Entry<User>): User {
  const user = resolveFields(value, USER_PATHS, file)
  const command = user.exec?.command
  // A bare name is looked up in PATH; anything else is a path like the others.
  if (command?.includes(sep)) user.exec = { ...user.exec, command: from(file, command) }
  return user
}

function resolveFields<T extends object, F extends keyof T>(value: T, fields: readonly F[], file?: string): T {
  const copy = { ...value }
  for (const field of fields) {
    const path = copy[field]
    if (typeof path === 'string' && path !== '') copy[field] = from(file, path) as T[F]
  }
  return copy
}

function from(file: string | undefined, path: string): string {
  return isAbsolute(path) || file === undefined ? path : resolve(dirname(file), path)
}

function mapValues<T>(entries: ReadonlyMap<string, Entry<T>>, map: (entry: Entry<T>) => T): Map<string, Entry<T>> {
  return new Map([...entries].map(([name, entry]) => [name, { ...entry, value: map(entry) }]))
}
