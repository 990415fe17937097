import type { MetricRegistry } from '@orrery/kube/metrics'

/** Upper bounds in seconds, as in Maestro. */
const BUCKETS = [0.1, 1, 10, 30]
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'])

/** Counts requests by method, path and code. Ids in paths are "-", so that there are few series. */
export function requestCounter(metrics: MetricRegistry) {
  const labels = ['method', 'path', 'code'] as const
  const counts = metrics.counter({
    name: 'rest_api_inbound_request_count',
    help: 'Number of requests to the REST API.',
    labels,
  })
  const durations = metrics.histogram({
    name: 'rest_api_inbound_request_duration',
    help: 'Time to answer a request to the REST API, in seconds.',
    labels,
    buckets: BUCKETS,
  })
  return (method: string, template: string | undefined, code: number, milliseconds: number) => {
    const values = {
      method: METHODS.has(method) ? method : 'other',
      path: template?.replace('{id}', '-') ?? '/-',
      code: String(code),
    }
    counts.with(values).add()
    durations.with(values).observe(milliseconds / 1000)
  }
}
