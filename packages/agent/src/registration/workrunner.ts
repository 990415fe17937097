import type { ManagedCluster } from '@orrery/api'
import type { ControllerSpec, Informer, KubeClient } from '@orrery/kube'
import type { AgentPart } from '../context.js'
import { revealWith } from '../sealing/reveal.js'
import { isAccepted } from './clusterreport.js'
import { HUB_BACKOFF, type RegistrationContext } from './registrationcontext.js'
import { always } from './wakes.js'

/** Starts running works when the hub first lets the cluster in. From then on they run, whatever becomes of the hub. */
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

  controller(clusters: Informer<ManagedCluster>): ControllerSpec {
    const { names, options, sealing } = this.#context
    const ref = { name: names.clusterName }
    return {
      name: 'work-start',
      wakes: [always(clusters, ref)],
      backoff: HUB_BACKOFF,
      reconcile: async (_, { log, signal }) => {
        const cluster = clusters.get(ref)
        if (this.#part !== undefined || options.startWork === undefined) return
        if (cluster === undefined || !isAccepted(cluster)) return
        const part = await options.startWork({
          hub: this.#hub,
          hubServer: this.#hubServer,
          clusterName: names.clusterName,
          ...(options.agentName !== undefined && { agentId: options.agentName }),
          spoke: options.spoke,
          clock: options.clock,
          log: options.log,
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
}
