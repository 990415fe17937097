import { ManifestWork, WORK_FINALIZER } from '@orrery/api'
import { isNotFound } from '@orrery/kinds/values'
import { addFinalizer, hasFinalizer, type Informers, type KubeClient, removeFinalizer, writeStatus } from '@orrery/kube'
import type { SharedInformer } from '@orrery/kube/informer'
import { hubHashOf } from './applied-work/applied-work-name.js'
import type { SourceOptions, WorkSource } from './source.js'

export interface KubeSourceOptions {
  /** Informers on the hub with the agent's credentials. The caller closes them after the work agent. */
  readonly informers: Informers
  /** The URL of the hub's API server, as in the kubeconfig. */
  readonly hubServer: string
  /** The name of the cluster on the hub, which is the namespace of its works. */
  readonly clusterName: string
}

/** Works in the API of a hub, held by a finalizer. */
export class KubeSource implements WorkSource {
  readonly clusterName: string
  readonly hubHash: string
  readonly works: SharedInformer<ManifestWork>
  readonly #hub: KubeClient

  constructor({ informers, hubServer, clusterName }: KubeSourceOptions) {
    this.clusterName = clusterName
    this.hubHash = hubHashOf(hubServer)
    this.#hub = informers.client
    this.works = informers.of(ManifestWork, { namespace: clusterName })
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
}
