import { ManagedCluster } from '@orrery/api'
import type { HttpRequest, Transport } from '@orrery/kube/client'

const CLUSTERS_PATH = `/apis/${ManagedCluster.group}/${ManagedCluster.version}/${ManagedCluster.plural}`
const OK = 200
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * Whether a hub still knows the agent's cluster. Every agent may read its own ManagedCluster, even when the cluster
 * is denied. If the hub authenticates the agent and forbids that, it does not know the cluster.
 */
export class HubMemory {
  readonly #onForgotten: () => void
  readonly #onUnknown: () => void
  #isForgotten = false
  #wasKnown = false

  /**
   * `onForgotten` is called each time the hub forbids the read, `onUnknown` each time it does not authenticate the
   * agent.
   */
  constructor(onForgotten: () => void, onUnknown: () => void) {
    this.#onForgotten = onForgotten
    this.#onUnknown = onUnknown
  }

  get isForgotten(): boolean {
    return this.#isForgotten
  }

  /** Whether the hub has allowed the read since. */
  get wasKnown(): boolean {
    return this.#wasKnown
  }

  /** Observes the responses of a transport. */
  heardOver(transport: Transport): Transport {
    return {
      request: async (request) => {
        const response = await transport.request(request)
        if (isAboutClusters(request)) this.#note(response.status)
        return response
      },
      close: () => transport.close?.(),
    }
  }

  #note(status: number): void {
    if (status === FORBIDDEN) {
      this.#isForgotten = true
      this.#onForgotten()
    } else if (status === OK) {
      this.#isForgotten = false
      this.#wasKnown = true
    } else if (status === UNAUTHORIZED) this.#onUnknown()
  }
}

function isAboutClusters({ method, path }: HttpRequest): boolean {
  return method === 'GET' && (path === CLUSTERS_PATH || path.startsWith(`${CLUSTERS_PATH}?`))
}
