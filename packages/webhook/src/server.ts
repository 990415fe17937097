import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type AdmissionOptions, inquiriesOf } from '@orrery/hub'
import {
  addProcessMetrics,
  type KubeClient,
  type Logger,
  MetricRegistry,
  silentLogger,
  systemClock,
} from '@orrery/kube'
import { WEBHOOK_PORT } from './configurations.js'
import { WebhookHandler } from './handler.js'
import { countAnswers } from './metrics.js'
import { webhookRoutes } from './routes.js'
import { type KeyPair, ServingCertificate } from './servingcertificate.js'

export interface WebhookServerOptions extends AdmissionOptions {
  /** A client of the hub, who may create SubjectAccessReviews and read namespaces. */
  readonly client: KubeClient
  /** Where `tls.crt` and `tls.key` are. They are read again when they change. */
  readonly certificateDirectory: string
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
  /** Takes no more connections, answers what it was asked, for up to two seconds, and ends. The client stays open. */
  close(): Promise<void>
}

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Idle connections are kept longer than API servers keep theirs: whoever closes first may cut a request off. */
const KEEP_ALIVE_MS = 120_000
const GRACE_MS = 2_000

/** Serves the rules of a hub, and the conversion of add-ons, to the API server of a hub. Resolves when it listens. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { client, clientAuthority, clock = systemClock, log = silentLogger, metrics = new MetricRegistry() } = options
  const certificate = await ServingCertificate.open(options.certificateDirectory, log)
  const handler = new WebhookHandler({
    routes: webhookRoutes(options, inquiriesOf(client)),
    certificate,
    demandsCertificates: clientAuthority !== undefined,
    clock,
    log,
    metrics,
    count: countAnswers(metrics),
  })
  const tls = ({ cert, key }: KeyPair) => ({
    cert,
    key,
    minVersion: 'TLSv1.2' as const,
    ...(clientAuthority !== undefined && { ca: clientAuthority }),
  })
  const server = createServer({
    ...tls(certificate.pair),
    requestCert: clientAuthority !== undefined,
    // Probes come without a certificate: it is asked for where it matters.
    rejectUnauthorized: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on('request', (request, response) => void handler.handle(request, response))
  certificate.onChange((pair) => server.setSecureContext(tls(pair)))
  try {
    await listen(server, options.host, options.port ?? WEBHOOK_PORT)
  } catch (error) {
    certificate.close()
    throw error
  }
  // A connection that could not be taken, for want of file descriptors say, is no reason to stop taking others.
  server.on('error', (error) => log.warn('a connection could not be taken', { error }))
  const stopMetrics = addProcessMetrics(metrics)
  return {
    port: (server.address() as AddressInfo).port,
    metrics,
    async close() {
      stopMetrics()
      certificate.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const cancel = clock.after(GRACE_MS, () => server.closeAllConnections())
      await handler.whenIdle()
      server.closeAllConnections()
      await closed
      cancel()
    },
  }
}

function listen(server: Server, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
