import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import {
  type HostPathVolumeSource,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  type Volume,
} from '@orrery/kinds'
import { PROVISIONED_BY, PROVISIONER } from '../../workloads/storage/names.js'
import type { ByteBudget } from '../downward-api/byte-budget.js'
import { AtomicDirectory } from './atomic-directory.js'
import { NotMounted, payloadBudget, payloadOf, type VolumeSources } from './payload.js'

export interface VolumeOptions {
  /** The directory of this pod's volumes. */
  readonly directory: string
  /** The directory of this node's persistent volumes. */
  readonly persistentDirectory: string
  /** Directories of the machine that pods may mount, including subdirectories. */
  readonly hostPaths: readonly string[]
}

/** The place of a volume on this machine. */
export interface VolumePlace {
  readonly path: string
  /** Whether only the node writes to it. */
  readonly isReadOnly: boolean
}

/** The volumes of one pod as directories of this machine. */
export class PodVolumes {
  readonly #options: VolumeOptions
  readonly #written = new Map<string, AtomicDirectory>()

  constructor(options: VolumeOptions) {
    this.#options = options
  }

  /** Creates or updates all volumes. Returns the place of each by name. Throws `NotMounted`. */
  async mount(pod: Pod, sources: VolumeSources): Promise<ReadonlyMap<string, VolumePlace>> {
    const places = new Map<string, VolumePlace>()
    const budget = payloadBudget(pod)
    for (const volume of pod.spec.volumes ?? []) {
      places.set(volume.name, await this.#mountOne(pod, volume, sources, budget))
    }
    return places
  }

  async #mountOne(pod: Pod, volume: Volume, sources: VolumeSources, budget: ByteBudget): Promise<VolumePlace> {
    const path = join(this.#options.directory, volume.name)
    const payload = await payloadOf(pod, volume, sources, budget)
    if (payload !== undefined) {
      let directory = this.#written.get(volume.name)
      if (directory === undefined) {
        directory = new AtomicDirectory(path)
        this.#written.set(volume.name, directory)
      }
      await directory.write(payload)
      return { path: await realpath(path), isReadOnly: true }
    }
    return { path: await this.#writable(pod, volume, sources), isReadOnly: false }
  }

  async #writable(pod: Pod, volume: Volume, sources: VolumeSources): Promise<string> {
    const path = join(this.#options.directory, volume.name)
    if (volume.emptyDir !== undefined) return realpath(await made(path))
    if (volume.hostPath !== undefined) return this.#hostPath(volume.name, volume.hostPath, this.#options.hostPaths)
    if (volume.persistentVolumeClaim !== undefined) {
      return this.#claimed(volume.name, volume.persistentVolumeClaim.claimName, sources)
    }
    if (volume.ephemeral !== undefined)
      return this.#claimed(volume.name, `${pod.metadata.name}-${volume.name}`, sources)
    const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'unknown'
    throw new NotMounted(volume.name, `this node does not support volumes of type ${kind}`)
  }

  async #claimed(volume: string, claimName: string, sources: VolumeSources): Promise<string> {
    const claim = await sources.object(PersistentVolumeClaim, claimName)
    if (claim === undefined)
      throw new NotMounted(volume, `persistentvolumeclaim ${JSON.stringify(claimName)} not found`)
    const { volumeName = '' } = claim.spec ?? {}
    if (claim.status?.phase !== 'Bound' || volumeName === '') {
      throw new NotMounted(volume, `persistentvolumeclaim ${JSON.stringify(claimName)} is not bound`)
    }
    const found = await sources.object(PersistentVolume, volumeName)
    const { persistentDirectory, hostPaths } = this.#options
    // A volume that was provisioned for this cluster: the provisioner may have run elsewhere and does not know the
    // directories of this node.
    if (found?.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER) {
      const own = { path: join(persistentDirectory, volumeName), type: 'DirectoryOrCreate' } as const
      return this.#hostPath(volume, own, [persistentDirectory])
    }
    const path = found?.spec?.hostPath?.path ?? found?.spec?.local?.path
    if (path === undefined)
      throw new NotMounted(volume, `persistentvolume ${JSON.stringify(volumeName)} is not on this node`)
    const isOwn = isWithin(resolve(persistentDirectory), resolve(path))
    const type = isOwn ? 'DirectoryOrCreate' : 'Directory'
    return this.#hostPath(volume, { path, type }, isOwn ? [persistentDirectory] : hostPaths)
  }

  /** Resolves a path if it is in one of the allowed directories. Links are resolved, since pods can create them. */
  async #hostPath(
    volume: string,
    { path, type = '' }: HostPathVolumeSource,
    directories: readonly string[],
  ): Promise<string> {
    const wanted = await realPathOf(path)
    const allowed = await Promise.all(directories.map(realPathOf))
    if (wanted === undefined || !allowed.some((one) => one !== undefined && isWithin(one, wanted))) {
      throw new NotMounted(volume, `this node does not allow pods to mount ${path}: add it to hostPaths`)
    }
    if (type === 'DirectoryOrCreate') return made(wanted)
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
}

async function made(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  return path
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
