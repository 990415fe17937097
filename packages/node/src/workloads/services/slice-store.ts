import { EndpointSlice, type JsonObject } from '@orrery/kinds'
import type { Informer, ReconcileContext } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import type { SlicePlan } from './slices.js'

export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'

/** The EndpointSlices of services that one controller manages. It ignores those of others. */
export class SliceStore {
  readonly informer: Informer<EndpointSlice>
  readonly #context: WorkloadContext
  readonly #manager: string

  constructor(context: WorkloadContext, manager: string) {
    this.#context = context
    this.#manager = manager
    this.informer = context.informers.of(EndpointSlice)
    this.informer.addIndex(manager, (slice) => {
      const { namespace, labels } = slice.metadata
      return this.isOwn(slice) ? [`${namespace}/${labels?.[SERVICE_NAME] ?? ''}`] : []
    })
  }

  isOwn({ metadata }: EndpointSlice): boolean {
    return metadata.labels?.[MANAGED_BY] === this.#manager
  }

  of({
    namespace,
    name,
  }: {
    readonly namespace?: string | undefined
    readonly name: string
  }): readonly EndpointSlice[] {
    return this.informer.byIndex(this.#manager, `${namespace}/${name}`)
  }

  async apply({ create, update, remove }: SlicePlan, { client, signal }: ReconcileContext): Promise<void> {
    const expectations = this.#context.expectations(EndpointSlice)
    for (const draft of create) await expectations.after(client.create(EndpointSlice, draft, { signal }), signal)
    for (const slice of update) {
      const { name, namespace, uid, resourceVersion, labels, annotations } = slice.metadata
      const metadata = { uid, resourceVersion, labels, annotations } as unknown as JsonObject
      const change = { metadata, endpoints: slice.endpoints, ports: slice.ports }
      await expectations.after(client.patch(EndpointSlice, { name, namespace }, change, { signal }), signal)
    }
    await this.remove(remove, { client, signal })
  }

  async remove(
    slices: readonly EndpointSlice[],
    { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
  ): Promise<void> {
    for (const { metadata } of slices) {
      const { name, namespace, uid } = metadata
      await client.ensureDeleted(EndpointSlice, { name, namespace }, { preconditions: { uid }, signal })
    }
  }
}
