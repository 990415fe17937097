import type { WorkSource } from '@orrery/agent'
import { ManifestWork, type ManifestWorkStatus } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { LocalInformer } from '@orrery/kube/informer'
import { semanticEqual } from '@orrery/kube/write'

/** This source does not hold a work with a finalizer of the hub. */
const HELD = 'example.com/held'

/** A status that the agent sent. */
export interface StatusEvent {
  readonly name: string
  readonly version: number
  readonly status: ManifestWorkStatus | undefined
  /** Whether nothing of the work is left on the cluster. */
  readonly isDeleted: boolean
}

/** Works that arrive as events and whose status leaves as events, as over a message broker. */
export class EventSource implements WorkSource {
  readonly clusterName = 'c1'
  readonly hubHash = 'broker'
  readonly works = new LocalInformer<ManifestWork>(ManifestWork, { namespace: this.clusterName })
  readonly sent: StatusEvent[] = []

  /** The state of a work as the broker sends it. `resourceVersion` counts its specs. */
  work(name: string, resourceVersion: number, manifests: readonly object[]): ManifestWork {
    const { group, version, kind } = ManifestWork
    return {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: {
        namespace: this.clusterName,
        name,
        uid: `uid-${name}`,
        generation: resourceVersion,
        resourceVersion: String(resourceVersion),
        creationTimestamp: '2030-01-01T00:00:00Z',
      },
      spec: { workload: { manifests: manifests as KubeObject[] } },
    } as unknown as ManifestWork
  }

  /** Receives an event that creates or updates a work. What the agent has added stays. */
  receive(work: ManifestWork): void {
    const known = this.works.get(work.metadata)
    const finalizers = known?.metadata.finalizers
    const metadata = { ...work.metadata, ...(finalizers !== undefined && { finalizers }) }
    this.works.set({ ...work, metadata, ...(known?.status !== undefined && { status: known.status }) })
  }

  /** Receives an event that deletes a work. */
  receiveDelete(name: string): void {
    const known = this.works.get({ namespace: this.clusterName, name })
    if (known === undefined) return
    const { generation = 0 } = known.metadata
    const deletion = { deletionTimestamp: '2030-01-01T00:00:00Z', generation: generation + 1 }
    this.works.set({ ...known, metadata: { ...known.metadata, ...deletion } })
  }

  isHeld({ metadata }: ManifestWork): boolean {
    return metadata.finalizers?.includes(HELD) ?? false
  }

  async hold(work: ManifestWork): Promise<ManifestWork> {
    const held = { ...work, metadata: { ...work.metadata, finalizers: [HELD] } }
    this.works.set(held)
    return held
  }

  async release({ metadata: { name, namespace } }: ManifestWork): Promise<void> {
    const current = this.works.get({ name, namespace })
    if (current === undefined) return
    this.#send(current, current.status, true)
    this.works.delete({ name, namespace })
  }

  async writeStatus(
    { metadata: { name, namespace } }: ManifestWork,
    statusOf: (current: ManifestWork) => ManifestWorkStatus | undefined,
  ): Promise<void> {
    const current = this.works.get({ name, namespace })
    if (current === undefined) return
    const status = statusOf(current)
    if (semanticEqual(status, current.status)) return
    this.works.set({ ...current, ...(status !== undefined && { status }) })
    this.#send(current, status, false)
  }

  async exists(name: string): Promise<boolean> {
    const work = this.works.get({ namespace: this.clusterName, name })
    return work !== undefined && !isBeingDeleted(work)
  }

  #send({ metadata }: ManifestWork, status: ManifestWorkStatus | undefined, isDeleted: boolean): void {
    this.sent.push({ name: metadata.name, version: metadata.generation ?? 0, status, isDeleted })
  }
}
