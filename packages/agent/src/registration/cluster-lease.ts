import { AGENT_STOPPED_ANNOTATION, CLUSTER_LEASE, clusterLeaseSeconds, type ManagedCluster } from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { formatMicroTime, isConflict } from '@orrery/kinds/values'
import type { Informer, KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { keepLease } from '@orrery/kube/lease'
import { isAccepted } from './cluster-report.js'

export interface ClusterLeaseOptions {
  readonly hub: KubeClient
  readonly clusters: Informer<ManagedCluster>
  readonly clusterName: string
  /** How long another agent may take to renew the lease once this one is stopped. */
  readonly handoverSeconds: number
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
}

/** How long a stopping agent tries to release the lease, in milliseconds. */
const RELEASE_TIMEOUT = 3_000

/** Renews the cluster's lease on the hub every `leaseDurationSeconds` while the cluster is accepted. */
export class ClusterLease {
  readonly #options: ClusterLeaseOptions
  readonly #unsubscribe: () => void
  #period: number | undefined
  #stop: () => Promise<Lease | undefined> = async () => undefined
  #renewedAt: number | undefined
  #version: string | undefined

  constructor(options: ClusterLeaseOptions) {
    this.#options = options
    this.#unsubscribe = options.clusters.subscribe(() => this.#follow())
  }

  /** When the lease was last renewed, in elapsed time. */
  get renewedAt(): number | undefined {
    return this.#renewedAt
  }

  /** Its resourceVersion. */
  get version(): string | undefined {
    return this.#version
  }

  /** Stops renewing and marks the lease as released, unless another agent has renewed it since. */
  async close(): Promise<void> {
    this.#unsubscribe()
    const last = await this.#stop()
    if (last !== undefined) await this.#release(last)
  }

  /** Fails on a conflict: another agent renews the lease, and the hub must not report the cluster as stopped. */
  async #release(lease: Lease): Promise<void> {
    const { hub, clock, handoverSeconds, log } = this.#options
    const renewTime = formatMicroTime(clock.now())
    const stopped = JSON.stringify({ renewTime, handoverSeconds })
    const annotations = { ...lease.metadata.annotations, [AGENT_STOPPED_ANNOTATION]: stopped }
    const released = { ...lease, metadata: { ...lease.metadata, annotations }, spec: { ...lease.spec, renewTime } }
    try {
      await hub.update(Lease, released, { signal: AbortSignal.timeout(RELEASE_TIMEOUT) })
    } catch (error) {
      if (isConflict(error))
        log.info('another agent renews the lease', { namespace: lease.metadata.namespace, name: lease.metadata.name })
      else log.warn('lease not released', { kind: 'Lease', name: lease.metadata.name, error })
    }
  }

  /** Starts over when the cluster is accepted, denied, or gets another lease duration. */
  #follow(): void {
    const cluster = this.#options.clusters.get({ name: this.#options.clusterName })
    const period = cluster === undefined || !isAccepted(cluster) ? undefined : clusterLeaseSeconds(cluster) * 1_000
    if (period === this.#period) return
    this.#period = period
    const before = this.#stop()
    const kept = period === undefined ? undefined : this.#keep(period)
    this.#stop = async () => {
      const [, last] = await Promise.all([before, kept?.stop()])
      return last
    }
  }

  #keep(periodMilliseconds: number) {
    const { hub, clusterName, clock, log, random } = this.#options
    return keepLease(
      hub,
      { namespace: clusterName, name: CLUSTER_LEASE },
      // The hub creates the lease: an agent that could create it could bring back what the hub has cleaned up.
      { create: false, periodMilliseconds, clock, log, random, onRenewed: (lease) => this.#note(lease) },
    )
  }

  #note({ metadata }: Lease): void {
    this.#renewedAt = this.#options.clock.elapsed()
    this.#version = metadata.resourceVersion
  }
}
