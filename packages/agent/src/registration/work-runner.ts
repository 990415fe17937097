import { type ManagedCluster, ManifestWork } from '@orrery/api'
import { isForbidden } from '@orrery/kinds/values'
import type { ControllerSpec, Informer, KubeClient } from '@orrery/kube'
import type { AgentPart } from '../context.js'
import { revealWith } from '../sealing/reveal.js'
import { isAccepted } from './cluster-report.js'
import { HUB_BACKOFF, type RegistrationContext } from './registration-context.js'
import { type Bell, meanwhile } from './wakes.js'

/** What is known of the cluster on the hub. */
export interface ClusterKnowledge {
  readonly clusters: Informer<ManagedCluster>
  /** Whether the hub refuses to show the cluster, */
  readonly isRefused: () => boolean
  /** rung whenever it does. */
  readonly refusals: Bell
}

/**
 * Starts running works when the hub first lets the cluster in. From then on they run, whatever becomes of the hub. An agent
 * that is started while its cluster is being detached does not get to see the cluster any more, but has its works to take
 * away: nobody else can.
 */
export class WorkRunner {
  readonly #hub: KubeClient
  readonly #hubServer: string
  readonly #context: RegistrationContext
  #part: AgentPart | undefined

  constructor(hub: KubeClient, hubServer: string, context: RegistrationContext) {
    this.#hub = hub
    this.#hubServer = hubServer
    this.#context = context
  }

  controller({ clusters, isRefused, refusals }: ClusterKnowledge): ControllerSpec {
    const { names, options, sealing, identities } = this.#context
    const ref = { name: names.clusterName }
    return {
      name: 'work-start',
      wakes: [meanwhile(clusters, identities, ref), refusals.wake(identities, ref)],
      backoff: HUB_BACKOFF,
      reconcile: async (_, { log, signal }) => {
        const cluster = clusters.get(ref)
        if (this.#part !== undefined || options.startWork === undefined) return
        const hasWorks = cluster === undefined ? isRefused() && (await this.#mayHaveWorks(signal)) : isAccepted(cluster)
        if (!hasWorks) return
        const part = await options.startWork({
          hub: this.#hub,
          hubServer: this.#hubServer,
          clusterName: names.clusterName,
          ...(options.agentName !== undefined && { agentId: options.agentName }),
          spoke: options.spoke,
          agentNamespace: options.namespace,
          clock: options.clock,
          log: options.log,
          metrics: options.metrics,
          features: options.features,
          options: options.work,
          reveal: revealWith(sealing, names.clusterName),
        })
        // Whoever stops meanwhile has nothing to close yet.
        if (signal.aborted) return part.close()
        this.#part = part
        log.info('works are run')
      },
    }
  }

  async close(): Promise<void> {
    await this.#part?.close()
  }

  /** Whether the hub lets the agent at the works of its cluster. */
  async #mayHaveWorks(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#hub.list(ManifestWork, { namespace: this.#context.names.clusterName, limit: 1, signal })
      return true
    } catch (error) {
      if (isForbidden(error)) return false
      throw error
    }
  }
}
