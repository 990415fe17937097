import { CLUSTER_LEASE, type ManagedCluster } from '@orrery/api'
import { type Clock, type Informer, type KubeClient, type Logger, renewLease } from '@orrery/kube'
import type { Lease } from '@orrery/kube/kinds'
import { isAccepted } from './clusterreport.js'

export interface ClusterLeaseOptions {
  readonly hub: KubeClient
  readonly clusters: Informer<ManagedCluster>
  readonly clusterName: string
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
}

const DEFAULT_SECONDS = 60
/** Renewals come up to so much later than asked for, so that clusters do not move in step. */
const JITTER = 0.25
const FIRST_RETRY = 1_000

/** Shows the hub that the agent is alive, as often as the hub asks for, while it lets the cluster in. */
export class ClusterLease {
  readonly #options: ClusterLeaseOptions
  readonly #unsubscribe: () => void
  #period: number | undefined
  #stop: () => Promise<void> = async () => undefined
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

  async close(): Promise<void> {
    this.#unsubscribe()
    await this.#stop()
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
      await Promise.all([before, renewing?.stop()])
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

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#cancel()
    await this.#underWay
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
