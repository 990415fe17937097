import { ManifestWork, WORK_FINALIZER } from '@orrery/api'
import { isNotFound } from '@orrery/kinds/values'
import {
  addFinalizer,
  type Clock,
  hasFinalizer,
  Informers,
  type KubeClient,
  type Logger,
  removeFinalizer,
  type SharedInformer,
  writeStatus,
} from '@orrery/kube'
import { hubHashOf } from './applied-name.js'
import type { SourceOptions, WorkSource } from './source.js'

export interface KubeSourceOptions {
  /** The hub, as the cluster's agent. */
  readonly hub: KubeClient
  /** The URL of the hub's API server, as in the kubeconfig. */
  readonly hubServer: string
  /** The name of the cluster on the hub, which is the namespace of its works. */
  readonly clusterName: string
  /** Default the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
}

/** Works in the API of a hub, held by a finalizer. */
export class KubeSource implements WorkSource {
  readonly clusterName: string
  readonly hubHash: string
  readonly works: SharedInformer<ManifestWork>
  readonly #hub: KubeClient
  readonly #informers: Informers

  constructor({ hub, hubServer, clusterName, clock, log }: KubeSourceOptions) {
    this.clusterName = clusterName
    this.hubHash = hubHashOf(hubServer)
    this.#hub = hub
    this.#informers = new Informers(hub, { ...(clock !== undefined && { clock }), ...(log !== undefined && { log }) })
    this.works = this.#informers.of(ManifestWork, { namespace: clusterName })
  }

  isHeld(work: ManifestWork): boolean {
    return hasFinalizer(work, WORK_FINALIZER)
  }

  hold(work: ManifestWork, options: SourceOptions = {}): Promise<ManifestWork> {
    return addFinalizer(this.#hub, ManifestWork, work, WORK_FINALIZER, options)
  }

  async release(work: ManifestWork, options: SourceOptions = {}): Promise<void> {
    await removeFinalizer(this.#hub, ManifestWork, work, WORK_FINALIZER, options)
  }

  async writeStatus(
    work: ManifestWork,
    statusOf: (current: ManifestWork) => ManifestWork['status'],
    options: SourceOptions = {},
  ): Promise<void> {
    try {
      await writeStatus(this.#hub, ManifestWork, work, statusOf, options)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async exists(name: string, options: SourceOptions = {}): Promise<boolean> {
    return (await this.#hub.find(ManifestWork, { namespace: this.clusterName, name }, options)) !== undefined
  }

  close(): Promise<void> {
    return this.#informers.close()
  }
}
