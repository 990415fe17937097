import type { KubeClient } from '@orrery/kube/client'
import type { AgentMetrics } from './agent-metrics.js'

/** A client that counts its requests by status code. Requests that the caller has aborted do not count. */
export function countingRequests(client: KubeClient, metrics: Pick<AgentMetrics, 'kubernetesRequests'>): KubeClient {
  const { transport } = client
  const count = (code: string) => metrics.kubernetesRequests.with({ code }).add()
  return client.withTransport({
    async request(request) {
      try {
        const response = await transport.request(request)
        count(String(response.status))
        return response
      } catch (error) {
        if (request.signal?.aborted !== true) count('error')
        throw error
      }
    },
    ...(transport.close !== undefined && { close: () => transport.close?.() }),
  })
}
