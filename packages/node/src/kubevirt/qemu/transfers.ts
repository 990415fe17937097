import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectRef, PersistentVolumeClaim } from '@orrery/kinds'
import { keyOf, parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Isolation } from '../../kubelet/isolation/isolation.js'
import { removeTree } from '../../kubelet/os/remove-tree.js'
import type { PersistentDirectories } from '../../kubelet/volumes/persistent-place.js'
import type { MachineImageRegistry } from '../images/machine-image-registry.js'
import type { DataVolume } from '../kinds/data-volume.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { PLAY_IMPORT } from '../machine/play-script.js'
import type { TransferState, Transfers } from '../machine/transfers.js'
import { isFinal } from '../vm/run-strategy.js'
import { claimNames } from '../volumes.js'
import { claimDisk, claimPlace } from './claim-place.js'
import { fillBlank, fillFromDisk, fillFromHttp, fillFromImage, type VolumeTarget } from './fill-volume.js'
import { findQemu } from './find-qemu.js'
import { OnlyPlayed } from './plan.js'

export interface TransferOptions extends PersistentDirectories {
  readonly client: KubeClient
  readonly clock: Clock
  readonly images: MachineImageRegistry
  readonly isolation: Isolation | undefined
  /** A directory for files of transfers. */
  readonly directory: string
}

const FIRST_RETRY = 2_000
const MAX_RETRY = 300_000
const DOCKER = /^docker:\/\//

interface Transfer {
  readonly uid: string
  readonly abort: AbortController
  state: TransferState
}

/** Fills the volumes of DataVolumes with real data (CDI: the importer, cloner and uploader). */
export class RealTransfers implements Transfers {
  readonly #options: TransferOptions
  readonly #transfers = new Map<string, Transfer>()
  readonly #wakers = new Set<(ref: ObjectRef) => void>()
  readonly #running = new Set<Promise<void>>()

  constructor(options: TransferOptions) {
    this.#options = options
  }

  /** Returns the progress of the transfer of a DataVolume with a bound claim. The first call starts it. */
  look(dataVolume: DataVolume, claim: PersistentVolumeClaim): TransferState {
    const key = keyOf(dataVolume.metadata)
    const known = this.#transfers.get(key)
    if (known?.uid === dataVolume.metadata.uid) return known.state
    known?.abort.abort()
    const transfer: Transfer = {
      uid: dataVolume.metadata.uid,
      abort: new AbortController(),
      state: { state: 'scheduled' },
    }
    this.#transfers.set(key, transfer)
    const run = this.#run(transfer, dataVolume, claim)
    this.#running.add(run)
    void run.finally(() => this.#running.delete(run))
    return transfer.state
  }

  /** Ends the transfer of a DataVolume that is gone or done. */
  forget(ref: ObjectRef): void {
    const key = keyOf(ref)
    this.#transfers.get(key)?.abort.abort()
    this.#transfers.delete(key)
  }

  /** Calls back when a transfer has made progress. Returns a function that stops that. */
  onChange(callback: (ref: ObjectRef) => void): () => void {
    this.#wakers.add(callback)
    return () => this.#wakers.delete(callback)
  }

  async close(): Promise<void> {
    for (const { abort } of this.#transfers.values()) abort.abort()
    await Promise.all(this.#running)
  }

  /** Tries until it succeeds. Never rejects. */
  async #run(transfer: Transfer, dataVolume: DataVolume, claim: PersistentVolumeClaim): Promise<void> {
    const { signal } = transfer.abort
    const show = (state: TransferState) => {
      transfer.state = state
      const { name, namespace } = dataVolume.metadata
      if (!signal.aborted) for (const wake of this.#wakers) wake({ name, namespace })
    }
    for (let attempts = 0; !signal.aborted; attempts++) {
      try {
        await this.#attempt(dataVolume, claim, signal, (share) => show({ state: 'running', share, attempts }))
        return show({ state: 'succeeded' })
      } catch (error) {
        const message = messageOf(error)
        if (error instanceof OnlyPlayed) return show({ state: 'played', why: message })
        if (signal.aborted) return
        show({ state: 'waiting', attempts: attempts + 1, message })
        await this.#pause(Math.min(MAX_RETRY, FIRST_RETRY * 2 ** attempts), signal)
      }
    }
  }

  async #attempt(
    { metadata, spec }: DataVolume,
    claim: PersistentVolumeClaim,
    signal: AbortSignal,
    progress: (share: number | undefined) => void,
  ): Promise<void> {
    const { client, isolation, directory, images } = this.#options
    if (metadata.annotations?.[PLAY_IMPORT] !== undefined)
      throw new OnlyPlayed(`the annotation ${PLAY_IMPORT} asks for it`)
    const qemu = await findQemu()
    if ('why' in qemu) throw new OnlyPlayed(qemu.why)
    const { source = {}, contentType = 'kubevirt' } = spec
    if (contentType !== 'kubevirt') throw new OnlyPlayed(`spec.contentType ${contentType} is not supported`)
    const place = await claimPlace(client, metadata.namespace, metadata.name, this.#options)
    const workDirectory = join(directory, metadata.uid)
    await removeTree(workDirectory)
    await mkdir(workDirectory, { recursive: true, mode: 0o700 })
    const target: VolumeTarget = {
      place,
      bytes: bytesOf(claim),
      workDirectory,
      converter: qemu.image,
      isolation,
      signal,
      progress: steps(progress),
    }
    progress(undefined)
    try {
      if (source.blank !== undefined) return await fillBlank(target)
      if (source.http !== undefined) return await fillFromHttp(target, plainUrl(source.http))
      if (source.pvc !== undefined) return await this.#clone(target, source.pvc)
      if (source.registry !== undefined) {
        const image = (source.registry.url ?? '').replace(DOCKER, '')
        const { disk } = images.find(image) ?? {}
        if (disk === undefined) throw new OnlyPlayed(`no disk is registered for the image ${JSON.stringify(image)}`)
        return await fillFromImage(target, disk)
      }
      throw new OnlyPlayed(`spec.source.${Object.keys(source)[0]} is not supported`)
    } finally {
      await removeTree(workDirectory)
    }
  }

  async #clone(
    target: VolumeTarget,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): Promise<void> {
    const { client } = this.#options
    const disk = await claimDisk(await claimPlace(client, namespace, name, this.#options), name)
    const { items } = await client.list(VirtualMachineInstance, { namespace })
    const user = items.find((instance) => !isFinal(instance) && claimNames(instance.spec).includes(name))
    if (user !== undefined) {
      throw new Error(
        `claim ${JSON.stringify(name)} is in use by virtualmachineinstance ${user.metadata.name}: stop it first`,
      )
    }
    await fillFromDisk(target, disk)
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, resolve)
      signal.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  }
}

/** Reports whole percents only, since each report is a write. */
function steps(progress: (share: number) => void): (share: number) => void {
  let shown = -1
  return (share) => {
    const percent = Math.floor(share * 20) * 5
    if (percent <= shown) return
    shown = percent
    progress(percent / 100)
  }
}

function plainUrl(http: { readonly url: string }): string {
  const [more] = Object.keys(http).filter((key) => key !== 'url')
  if (more !== undefined) throw new OnlyPlayed(`spec.source.http.${more} is not supported`)
  const { protocol } = new URL(http.url)
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new OnlyPlayed(`spec.source.http.url: ${protocol} is not supported`)
  return http.url
}

function bytesOf({ spec, status }: PersistentVolumeClaim): number {
  const storage = spec?.resources?.requests?.storage ?? status?.capacity?.storage ?? '0'
  return Math.ceil(quantityToNumber(parseQuantity(String(storage))) / 512) * 512
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
