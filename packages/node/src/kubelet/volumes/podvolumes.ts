import { mkdir, realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import {
  type HostPathVolumeSource,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  type Volume,
} from '@orrery/kube/kinds'
import { PROVISIONED_BY, PROVISIONER } from '../../workloads/storage/names.js'
import { AtomicDirectory } from './atomicdirectory.js'
import { NotMounted, payloadOf, type VolumeSources } from './payload.js'

export interface VolumeOptions {
  /** Where this pod's volumes are. */
  readonly directory: string
  /** Where persistent volumes of this node are. */
  readonly persistentDirectory: string
  /** Directories of the machine that pods may use, and what is below them. */
  readonly hostPaths: readonly string[]
}

/** Where a volume is on this machine. */
export interface VolumePlace {
  readonly path: string
  /** Whether nobody but the node writes to it. */
  readonly isReadOnly: boolean
}

/** The volumes of one pod, as directories of this machine. */
export class PodVolumes {
  readonly #options: VolumeOptions
  readonly #written = new Map<string, AtomicDirectory>()

  constructor(options: VolumeOptions) {
    this.#options = options
  }

  /** Makes all volumes and brings them up to date. Gives the place of each by name. Throws `NotMounted`. */
  async mount(pod: Pod, sources: VolumeSources): Promise<ReadonlyMap<string, VolumePlace>> {
    const places = new Map<string, VolumePlace>()
    for (const volume of pod.spec.volumes ?? []) places.set(volume.name, await this.#mountOne(pod, volume, sources))
    return places
  }

  async #mountOne(pod: Pod, volume: Volume, sources: VolumeSources): Promise<VolumePlace> {
    const path = join(this.#options.directory, volume.name)
    const payload = await payloadOf(pod, volume, sources)
    if (payload !== undefined) {
      let directory = this.#written.get(volume.name)
      if (directory === undefined) {
        directory = new AtomicDirectory(path)
        this.#written.set(volume.name, directory)
      }
      await directory.write(payload)
      return { path, isReadOnly: true }
    }
    return { path: await this.#writable(pod, volume, sources), isReadOnly: false }
  }

  async #writable(pod: Pod, volume: Volume, sources: VolumeSources): Promise<string> {
    const path = join(this.#options.directory, volume.name)
    if (volume.emptyDir !== undefined) return made(path)
    if (volume.hostPath !== undefined) return this.#hostPath(volume.name, volume.hostPath)
    if (volume.persistentVolumeClaim !== undefined) {
      return this.#claimed(volume.name, volume.persistentVolumeClaim.claimName, sources)
    }
    if (volume.ephemeral !== undefined)
      return this.#claimed(volume.name, `${pod.metadata.name}-${volume.name}`, sources)
    const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'unknown'
    throw new NotMounted(volume.name, `this node has no volumes of the kind ${kind}`)
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
    // Made for this cluster: whoever made it need not have been on this node, and does not know its directories.
    if (found?.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER) {
      return made(join(this.#options.persistentDirectory, volumeName))
    }
    const path = found?.spec?.hostPath?.path ?? found?.spec?.local?.path
    if (path === undefined)
      throw new NotMounted(volume, `persistentvolume ${JSON.stringify(volumeName)} is not of this node`)
    const isOwn = isWithin(resolve(this.#options.persistentDirectory), resolve(path))
    return isOwn ? made(path) : this.#hostPath(volume, { path, type: 'Directory' })
  }

  async #hostPath(volume: string, { path, type = '' }: HostPathVolumeSource): Promise<string> {
    const wanted = await realpath(path).catch(() => resolve(path))
    const isAllowed = this.#options.hostPaths.some((allowed) => isWithin(resolve(allowed), wanted))
    if (!isAllowed) throw new NotMounted(volume, `this node does not let pods use ${path}: start it with hostPaths`)
    if (type === 'DirectoryOrCreate') return made(wanted)
    const found = await stat(wanted).catch(() => undefined)
    if (found === undefined && type !== '')
      throw new NotMounted(volume, `hostPath type check failed: ${path} is not there`)
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

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}
