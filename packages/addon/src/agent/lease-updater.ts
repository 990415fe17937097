import type { OwnerReference } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { type KeptLease, keepLease } from '@orrery/kube/lease'
import type { Logger } from '@orrery/kube/log'

/** Options of a LeaseUpdater. */
export interface LeaseUpdaterOptions {
  /** The cluster that the agent runs on. */
  readonly client: KubeClient
  /** The name of the add-on, and of the lease. */
  readonly addonName: string
  /** The namespace of the agent. */
  readonly addonNamespace: string
  /** The lease is renewed only while all of them return true. Default none. */
  readonly healthChecks?: readonly (() => boolean | Promise<boolean>)[]
  /** The owner of a new lease, such as the agent's Deployment: the lease is deleted with it. Default none: the lease stays. */
  readonly owner?: OwnerReference
  /** Default the system clock. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
}

const LEASE_SECONDS = 60

/**
 * Renews the Lease of an add-on every 60 to 75 seconds. With the health check mode `Lease`, the agent of the cluster reports the
 * add-on as unavailable when the lease has not been renewed for five minutes.
 */
export class LeaseUpdater {
  readonly #options: LeaseUpdaterOptions
  #lease: KeptLease | undefined

  constructor(options: LeaseUpdaterOptions) {
    this.#options = options
  }

  /** Starts to renew. The first renewal is at once. */
  start(): void {
    const { client, addonName: name, addonNamespace: namespace, healthChecks = [], owner, clock, log } = this.#options
    this.#lease ??= keepLease(
      client,
      { namespace, name },
      {
        periodMilliseconds: 1_000 * LEASE_SECONDS,
        leaseDurationSeconds: LEASE_SECONDS,
        isHealthy: async () => {
          for (const isHealthy of healthChecks) if (!(await isHealthy())) return false
          return true
        },
        ...(owner !== undefined && { ownerReferences: [owner] }),
        ...(clock !== undefined && { clock }),
        ...(log !== undefined && { log }),
      },
    )
  }

  /** Stops to renew. The lease expires. */
  async stop(): Promise<void> {
    await this.#lease?.stop()
    this.#lease = undefined
  }
}

/** A health check for a LeaseUpdater in hosted mode: whether the API server of a cluster is live. */
export function apiServerIsLive(client: KubeClient): () => Promise<boolean> {
  const answers = async (path: string) => {
    const response = await client.raw({ method: 'GET', path })
    await response.bytes()
    return response.status
  }
  return async () => {
    try {
      const status = await answers('/livez')
      // Servers before Kubernetes 1.16 have only /healthz.
      return status === 404 ? (await answers('/healthz')) === 200 : status === 200
    } catch {
      return false
    }
  }
}
