import { WEBHOOK_PORT } from '@orrery/api'
import { type AdmissionOptions, hubQueries } from '@orrery/hub'
import type { KubeClient, Logger } from '@orrery/kube'
import { systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import { addProcessMetrics, MetricRegistry } from '@orrery/kube/metrics'
import { accessTo, listen, type ServingCertificate } from '@orrery/kube/serving'
import { responseCounter } from './metrics.js'
import { webhookRoutes } from './routes.js'
import { serveWebhooks } from './serve-webhooks.js'

export interface WebhookServerOptions extends AdmissionOptions {
  /** A client of the hub. It needs permission to create SubjectAccessReviews and TokenReviews, and to read namespaces. */
  readonly client: KubeClient
  /** The serving certificate. The caller closes it, after the server. */
  readonly certificate: ServingCertificate
  /** Default all addresses. */
  readonly host?: string
  /** Default 9443; 0 picks a free one. */
  readonly port?: number
  /** In PEM: only clients with a certificate of this authority are answered. Default all clients. */
  readonly clientAuthority?: string
  /** Default none. */
  readonly log?: Logger
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
}

/** A running webhook server. */
export interface WebhookServer {
  readonly port: number
  readonly metrics: MetricRegistry
  /** Whether there is a serving certificate that has not expired. */
  readonly isServing: boolean
  /** Stops accepting connections, finishes requests in flight within two seconds, and closes. The client stays open. */
  close(): Promise<void>
}

/** Serves the admission rules of a hub, and the conversion of add-ons, to its API server. Resolves when it listens. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { client, certificate, clientAuthority } = options
  const { clock = systemClock, log = silentLogger, metrics = new MetricRegistry() } = options
  const problems = (): string[] => {
    const { current } = certificate
    if (current === undefined) return ['there is no certificate']
    return clock.now() <= current.notAfter ? [] : [`the certificate expired at ${current.notAfter.toISOString()}`]
  }
  const serve = serveWebhooks({
    routes: webhookRoutes(options, hubQueries(client)),
    probes: {
      checks: {
        '/healthz': () => [],
        // Probes come often: where file watches do not work, this is when a new certificate is noticed.
        '/readyz': () => certificate.refresh().then(problems),
      },
      metrics,
      mayReadMetrics: accessTo('/metrics', client),
    },
    demandsCertificates: clientAuthority !== undefined,
    count: responseCounter(metrics),
  })
  const port = options.port ?? WEBHOOK_PORT
  const listener = await listen({ host: options.host, port, certificate, clientAuthority, serve, clock, log })
  const stopMetrics = addProcessMetrics(metrics)
  return {
    port: listener.port,
    metrics,
    get isServing() {
      return problems().length === 0
    },
    async close() {
      stopMetrics()
      await listener.close()
    },
  }
}
