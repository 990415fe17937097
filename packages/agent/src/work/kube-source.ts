import { ManifestWork, WORK_FINALIZER } from '@orrery/api'
import {
  addFinalizer,
  type Clock,
  Informers,
  isNotFound,
  type KubeClient,
  type Logger,
  removeFinalizer,
  type SharedInformer,
  writeStatus,
} from '@orrery/kube'
import type { SourceOptions, WorkSource } from './source.js'

export interface KubeSourceOptions {
  readonly client: KubeClient
  /** The namespace of the works on the hub. */
  readonly clusterName: string
  readonly clock: Clock
  readonly log: Logger
}

/** Works in the API of the hub. */
export class KubeSource implements WorkSource {
  readonly works: SharedInformer<ManifestWork>
  readonly #client: KubeClient
  readonly #namespace: string
  readonly #informers: Informers

  constructor({ client, clusterName, clock, log }: KubeSourceOptions) {
    this.#client = client
    this.#namespace = clusterName
    this.#informers = new Informers(client, { clock, log })
    this.works = this.#informers.of(ManifestWork, { namespace: clusterName })
  }

  addFinalizer(work: ManifestWork, options: SourceOptions = {}): Promise<ManifestWork> {
    return addFinalizer(this.#client, ManifestWork, work, WORK_FINALIZER, options)
  }

  async removeFinalizer(work: ManifestWork, options: SourceOptions = {}): Promise<void> {
    await removeFinalizer(this.#client, ManifestWork, work, WORK_FINALIZER, options)
  }

  async writeStatus(
    work: ManifestWork,
    statusOf: (current: ManifestWork) => ManifestWork['status'],
    options: SourceOptions = {},
  ): Promise<void> {
    try {
      await writeStatus(this.#client, ManifestWork, work, statusOf, options)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async exists(name: string, options: SourceOptions = {}): Promise<boolean> {
    return (await this.#client.find(ManifestWork, { namespace: this.#namespace, name }, options)) !== undefined
  }

  close(): Promise<void> {
    return this.#informers.close()
  }
}
