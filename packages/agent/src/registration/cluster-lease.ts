import { AGENT_STOPPED_ANNOTATION, CLUSTER_LEASE, type ManagedCluster } from '@orrery/api'
import {
  type Clock,
  formatMicroTime,
  type Informer,
  isConflict,
  type KubeClient,
  type Logger,
  renewLease,
} from '@orrery/kube'
import { Lease } from '@orrery/kube/kinds'
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

const DEFAULT_SECONDS = 60
/** Renewals come up to so much later than asked for, so that clusters do not move in step. */
const JITTER = 0.25
const FIRST_RETRY = 1_000
/** How long an agent that is stopped waits for the hub to take note. */
const FAREWELL_PATIENCE = 3_000

/** Shows the hub that the agent is alive, as often as the hub asks for, while it lets the cluster in. */
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

  /** When the hub last heard of the agent, in elapsed time. */
  get renewedAt(): number | undefined {
    return this.#renewedAt
  }

  /** The version of the hub then. */
  get version(): string | undefined {
    return this.#version
  }

  /** Stops renewing, and tells the hub so, unless another agent has renewed the lease since. */
  async close(): Promise<void> {
    this.#unsubscribe()
    const last = await this.#stop()
    if (last !== undefined) await this.#release(last)
  }

  /** The hub must not take the cluster for stopped while another agent runs it: who has written last decides. */
  async #release(lease: Lease): Promise<void> {
    const { hub, clock, handoverSeconds, log } = this.#options
    const renewTime = formatMicroTime(clock.now())
    const stopped = JSON.stringify({ renewTime, handoverSeconds })
    const annotations = { ...lease.metadata.annotations, [AGENT_STOPPED_ANNOTATION]: stopped }
    const released = { ...lease, metadata: { ...lease.metadata, annotations }, spec: { ...lease.spec, renewTime } }
    try {
      await hub.update(Lease, released, { signal: AbortSignal.timeout(FAREWELL_PATIENCE) })
    } catch (error) {
      if (isConflict(error))
        log.info('another agent renews the lease', { namespace: lease.metadata.namespace, name: lease.metadata.name })
      else log.warn('the hub does not know that the agent stops', { kind: 'Lease', name: lease.metadata.name, error })
    }
  }

  /** Begins anew when the cluster is let in, thrown out, or asked for another period. */
  #follow(): void {
    const cluster = this.#options.clusters.get({ name: this.#options.clusterName })
    const period = cluster === undefined || !isAccepted(cluster) ? undefined : periodOf(cluster)
    if (period === this.#period) return
    this.#period = period
    const before = this.#stop()
    const renewing =
      period === undefined ? undefined : new Renewing(this.#options, period, (lease) => this.#note(lease))
    this.#stop = async () => {
      const [, last] = await Promise.all([before, renewing?.stop()])
      return last
    }
  }

  #note({ metadata }: Lease): void {
    this.#renewedAt = this.#options.clock.elapsed()
    this.#version = metadata.resourceVersion
  }
}

function periodOf({ spec }: ManagedCluster): number {
  return (spec?.leaseDurationSeconds || DEFAULT_SECONDS) * 1_000
}

/** Renews with one period until it is stopped. */
class Renewing {
  readonly #options: ClusterLeaseOptions
  readonly #period: number
  readonly #onRenewed: (lease: Lease) => void
  readonly #stopping = new AbortController()
  #last: Lease | undefined
  #failures = 0
  #cancel: () => void = () => undefined
  #underWay: Promise<void>

  constructor(options: ClusterLeaseOptions, period: number, onRenewed: (lease: Lease) => void) {
    this.#options = options
    this.#period = period
    this.#onRenewed = onRenewed
    this.#underWay = this.#renew()
  }

  /** Resolves with the lease as this has renewed it last; undefined when the hub could not be reached. */
  async stop(): Promise<Lease | undefined> {
    this.#stopping.abort()
    this.#cancel()
    await this.#underWay
    return this.#last
  }

  async #renew(): Promise<void> {
    const { hub, clusterName, clock, log } = this.#options
    const { signal } = this.#stopping
    const ref = { namespace: clusterName, name: CLUSTER_LEASE }
    try {
      // The hub makes the lease: an agent that could make one could bring back what the hub has cleaned up.
      this.#last = await renewLease(hub, ref, {
        create: false,
        last: this.#last,
        patienceMilliseconds: this.#period,
        clock,
        signal,
      })
      if (this.#failures > 0) log.info('lease renewed again', { ...ref, failures: this.#failures })
      this.#failures = 0
      this.#onRenewed(this.#last)
    } catch (error) {
      if (signal.aborted) return
      this.#last = undefined
      if (this.#failures++ === 0) log.warn('lease not renewed', { kind: 'Lease', ...ref, error })
    }
    if (signal.aborted) return
    this.#cancel = clock.after(this.#wait(), () => {
      this.#underWay = this.#renew()
    })
  }

  /** After a failure sooner than usual at first: the next one may be the last before the hub gives the cluster up. */
  #wait(): number {
    const { random } = this.#options
    if (this.#failures === 0) return this.#period * (1 + JITTER * random())
    return Math.min(FIRST_RETRY * 2 ** (this.#failures - 1), this.#period) * (1 + random())
  }
}
