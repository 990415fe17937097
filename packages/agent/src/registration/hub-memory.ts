import { ManagedCluster } from '@orrery/api'
import type { HttpRequest, Transport } from '@orrery/kube/client'

const CLUSTERS_PATH = `/apis/${ManagedCluster.group}/${ManagedCluster.version}/${ManagedCluster.plural}`
const OK = 200
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * Whether a hub still knows the agent's cluster. Every cluster it knows may look at its own ManagedCluster, even one that it
 * has thrown out: who may not, though its certificate is good, is unknown.
 */
export class HubMemory {
  readonly #onForgotten: () => void
  readonly #onUnknown: () => void
  #isForgotten = false
  #wasKnown = false

  /** `onForgotten` hears of every refusal; `onUnknown` of every time that the hub does not know the agent itself. */
  constructor(onForgotten: () => void, onUnknown: () => void) {
    this.#onForgotten = onForgotten
    this.#onUnknown = onUnknown
  }

  get isForgotten(): boolean {
    return this.#isForgotten
  }

  /** Whether the hub has known it at any time since. */
  get wasKnown(): boolean {
    return this.#wasKnown
  }

  /** Listens to what a transport brings. */
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
