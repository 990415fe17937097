import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { HostPathVolumeSource, PersistentVolume } from '@orrery/kinds'
import { PROVISIONED_BY, PROVISIONER } from '../../workloads/storage/names.js'
import { NotMounted } from './payload.js'

export interface PersistentDirectories {
  /** The directory of this node's persistent volumes. */
  readonly persistentDirectory: string
  /** Directories of the machine that pods may mount, including subdirectories. */
  readonly hostPaths: readonly string[]
}

/** Returns the directory of a PersistentVolume on this machine. Throws `NotMounted` with the name of the pod's volume. */
export async function persistentPlace(
  volume: string,
  volumeName: string,
  found: PersistentVolume | undefined,
  { persistentDirectory, hostPaths }: PersistentDirectories,
): Promise<string> {
  // A volume that was provisioned for this cluster: the provisioner may have run elsewhere and does not know the
  // directories of this node.
  if (found?.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER) {
    const own = { path: join(persistentDirectory, volumeName), type: 'DirectoryOrCreate' } as const
    return hostPathPlace(volume, own, [persistentDirectory])
  }
  const path = found?.spec?.hostPath?.path ?? found?.spec?.local?.path
  if (path === undefined)
    throw new NotMounted(volume, `persistentvolume ${JSON.stringify(volumeName)} is not on this node`)
  const isOwn = isWithin(resolve(persistentDirectory), resolve(path))
  const type = isOwn ? 'DirectoryOrCreate' : 'Directory'
  return hostPathPlace(volume, { path, type }, isOwn ? [persistentDirectory] : hostPaths)
}

/** Resolves a path if it is in one of the allowed directories. Links are resolved, since pods can create them. */
export async function hostPathPlace(
  volume: string,
  { path, type = '' }: HostPathVolumeSource,
  directories: readonly string[],
): Promise<string> {
  const wanted = await realPathOf(path)
  const allowed = await Promise.all(directories.map(realPathOf))
  if (wanted === undefined || !allowed.some((one) => one !== undefined && isWithin(one, wanted))) {
    throw new NotMounted(volume, `this node does not allow pods to mount ${path}: add it to hostPaths`)
  }
  if (type === 'DirectoryOrCreate') {
    await mkdir(wanted, { recursive: true })
    return wanted
  }
  const found = await stat(wanted).catch(() => undefined)
  if (found === undefined && type !== '')
    throw new NotMounted(volume, `hostPath type check failed: ${path} does not exist`)
  if (type === 'Directory' && found?.isDirectory() !== true) {
    throw new NotMounted(volume, `hostPath type check failed: ${path} is not a directory`)
  }
  if (type === 'File' && found?.isFile() !== true) {
    throw new NotMounted(volume, `hostPath type check failed: ${path} is not a file`)
  }
  return wanted
}

/** Resolves the links of a path, which need not exist; returns undefined for a dangling link. */
async function realPathOf(path: string): Promise<string | undefined> {
  const found = await realpath(path).catch(() => undefined)
  if (found !== undefined) return found
  if ((await lstat(path).catch(() => undefined)) !== undefined || dirname(path) === path) return undefined
  const parent = await realPathOf(dirname(path))
  return parent && join(parent, basename(path))
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}
