import type { MetricRegistry } from '@orrery/kube/metrics'

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts a response: its path, status code and latency. */
export type CountResponse = (path: string, code: number, seconds: number) => void

/** Counts under the metric names of controller-runtime, which dashboards know. */
export function responseCounter(metrics: MetricRegistry): CountResponse {
  const requests = metrics.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Requests by webhook and status.',
    labels: ['webhook', 'code'],
  })
  const latency = metrics.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'How long requests took.',
    labels: ['webhook'],
    buckets: LATENCY_BUCKETS,
  })
  return (webhook, code, seconds) => {
    requests.with({ webhook, code: String(code) }).add()
    latency.with({ webhook }).observe(seconds)
  }
}
