import { isObject } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'
import type { ApiClient } from '../api/api-client.js'
import { type ClusterChoice, leastLoaded, type ManagementCluster, roundRobin } from './choice.js'
import type { ConsumerTarget } from './consumer.js'

export interface DynamicConsumerOptions {
  readonly api: ApiClient
  readonly region: string
  /** `round-robin`, `least-loaded`, or a function of your own. Default `least-loaded`. */
  readonly choice?: 'round-robin' | 'least-loaded' | ClusterChoice
  /** Only clusters with this status. Default `healthy`. */
  readonly status?: string
  /** Default `/api/v1/management-clusters`. */
  readonly path?: string
  /** Returns the cluster that has the resource already, so that it stays there. Default: none has it. */
  readonly assigned?: (resourceId: string) => Promise<string | undefined>
}

const CHOICES = { 'round-robin': roundRobin, 'least-loaded': () => leastLoaded }

/** A consumer that is chosen among the management clusters of a region that the HyperFleet API lists as healthy. */
export function dynamicConsumer(options: DynamicConsumerOptions): ConsumerTarget {
  const { region, choice = 'least-loaded', assigned } = options
  const choose = typeof choice === 'string' ? CHOICES[choice]() : choice
  const chosen = new Map<string, string>()
  return {
    async consumerFor(resourceId, signal = new AbortController().signal) {
      const earlier = chosen.get(resourceId) ?? (await assigned?.(resourceId))
      if (earlier !== undefined) return earlier
      const clusters = await listClusters(options, signal)
      const cluster = choose(clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      if (cluster === undefined) {
        const why = clusters.length === 0 ? 'has no healthy management cluster' : 'has no management cluster with room'
        throw new AdapterError('NotFound', `region ${JSON.stringify(region)} ${why}: add one, or choose another region`)
      }
      chosen.set(resourceId, cluster.name)
      return cluster.name
    },
  }
}

async function listClusters(options: DynamicConsumerOptions, signal: AbortSignal): Promise<ManagementCluster[]> {
  const { api, region, status = 'healthy', path = '/api/v1/management-clusters' } = options
  const url = `${path}?${new URLSearchParams({ region, status })}`
  const response = await api.send({ method: 'GET', url }, signal)
  if (response.status !== 200) {
    throw new AdapterError('HyperFleetAPI', `GET ${url} returned ${response.status}: ${response.body.slice(0, 256)}`)
  }
  // A server may ignore parameters that it does not know.
  return clustersIn(response.body, url).filter(
    (cluster) => (cluster.region ?? region) === region && (cluster.status ?? status) === status,
  )
}

/** A list, or an object with `items`. */
function clustersIn(body: string, url: string): ManagementCluster[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch (error) {
    throw new AdapterError('HyperFleetAPI', `GET ${url} did not return JSON: ${(error as Error).message}`)
  }
  const items: unknown = isObject(parsed) ? parsed.items : parsed
  if (!Array.isArray(items)) throw new AdapterError('HyperFleetAPI', `GET ${url} did not return a list`)
  return items.map((item: unknown, index) => {
    if (isObject(item) && typeof item.name === 'string' && item.name !== '') return item as unknown as ManagementCluster
    throw new AdapterError('HyperFleetAPI', `GET ${url}: items[${index}].name: Required value`)
  })
}
