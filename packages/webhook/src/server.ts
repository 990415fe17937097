import { WEBHOOK_PORT } from '@orrery/api'
import { type AdmissionOptions, inquiriesOf } from '@orrery/hub'
import {
  addProcessMetrics,
  type KubeClient,
  type Logger,
  MetricRegistry,
  silentLogger,
  systemClock,
} from '@orrery/kube'
import type { ServingCertificate } from './certificate/serving-certificate.js'
import { RequestHandler } from './handler.js'
import { listen } from './listener.js'
import { countAnswers } from './metrics.js'
import { accessTo } from './metrics-access.js'
import { webhookRoutes } from './routes.js'

export interface WebhookServerOptions extends AdmissionOptions {
  /** A client of the hub, who may create SubjectAccessReviews and TokenReviews, and read namespaces. */
  readonly client: KubeClient
  /** What to answer with. Whoever opened it closes it, after the server. */
  readonly certificate: ServingCertificate
  /** Default all addresses. */
  readonly host?: string
  /** Default 9443; 0 picks a free one. */
  readonly port?: number
  /** In PEM: only callers with a certificate of this authority are answered. Default everybody is. */
  readonly clientAuthority?: string
  /** Default none. */
  readonly log?: Logger
  /** Where to count. Default a registry of its own. */
  readonly metrics?: MetricRegistry
}

/** A running server of webhooks. */
export interface WebhookServer {
  readonly port: number
  readonly metrics: MetricRegistry
  /** Whether there is a certificate to answer with, and it is good. */
  readonly isServing: boolean
  /** Takes no more connections, answers what it was asked, for up to two seconds, and ends. The client stays open. */
  close(): Promise<void>
}

/** Serves the rules of a hub, and the conversion of add-ons, to the API server of a hub. Resolves when it listens. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { client, certificate, clientAuthority } = options
  const { clock = systemClock, log = silentLogger, metrics = new MetricRegistry() } = options
  const problems = (): string[] => {
    const { current } = certificate
    if (current === undefined) return ['there is no certificate']
    return clock.now() <= current.notAfter ? [] : [`the certificate expired at ${current.notAfter.toISOString()}`]
  }
  const handler = new RequestHandler({
    routes: webhookRoutes(options, inquiriesOf(client)),
    probes: {
      checks: {
        '/healthz': () => [],
        // Probes come often: a good time to look at the certificate where nobody tells that files have changed.
        '/readyz': () => certificate.refresh().then(problems),
      },
      metrics,
      mayReadMetrics: accessTo('/metrics', client),
    },
    demandsCertificates: clientAuthority !== undefined,
    log,
    count: countAnswers(metrics),
  })
  const port = options.port ?? WEBHOOK_PORT
  const listener = await listen({ host: options.host, port, certificate, clientAuthority, handler, clock, log })
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
