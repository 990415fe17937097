import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { PersistentVolume, PersistentVolumeClaim, type Pod, type Volume } from '@orrery/kinds'
import type { ByteBudget } from '../downward-api/byte-budget.js'
import { AtomicDirectory } from './atomic-directory.js'
import { NotMounted, payloadBudget, payloadOf, type VolumeSources } from './payload.js'
import { hostPathPlace, type PersistentDirectories, persistentPlace } from './persistent-place.js'

export interface VolumeOptions extends PersistentDirectories {
  /** The directory of this pod's volumes. */
  readonly directory: string
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
    if (volume.hostPath !== undefined) return hostPathPlace(volume.name, volume.hostPath, this.#options.hostPaths)
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
    return persistentPlace(volume, volumeName, await sources.object(PersistentVolume, volumeName), this.#options)
  }
}

async function made(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  return path
}
