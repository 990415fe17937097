import { hostname } from 'node:os'
import {
  addProcessMetrics,
  type KubeClient,
  type Logger,
  MetricRegistry,
  silentLogger,
  systemClock,
} from '@orrery/kube'
import { keyPairOf } from './certificate/key-pair.js'
import { makeCertificate } from './certificate/self-made.js'
import type { ServingCertificate } from './certificate/serving-certificate.js'
import { RequestHandler } from './handler.js'
import { type Listener, listen } from './listener.js'
import { accessTo } from './metrics-access.js'
import type { Check } from './probes.js'

export interface ProbeServerOptions {
  /** Asked who may read metrics: it may create TokenReviews and SubjectAccessReviews. */
  readonly client: KubeClient
  /** Default all addresses. */
  readonly host?: string | undefined
  /** 0 picks a free one. */
  readonly port: number
  /** By path: `/readyz`, for example. */
  readonly checks: Readonly<Record<string, Check>>
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
  readonly log?: Logger
}

/**
 * Serves probes and metrics, over TLS with a certificate that is made for it: tokens that come with requests are nobody
 * else's business. Kubelets do not check it, and collectors of metrics need not. Resolves when it listens.
 */
export async function startProbeServer(options: ProbeServerOptions): Promise<Listener> {
  const { client, port, checks, metrics = new MetricRegistry(), log = silentLogger } = options
  const handler = new RequestHandler({
    routes: new Map(),
    probes: { checks, metrics, mayReadMetrics: accessTo('/metrics', client) },
    demandsCertificates: false,
    log,
    count: () => undefined,
  })
  const certificate = passingCertificate(options.host)
  const listener = await listen({ host: options.host, port, certificate, handler, clock: systemClock, log })
  const stopMetrics = addProcessMetrics(metrics)
  return {
    port: listener.port,
    async close() {
      stopMetrics()
      await listener.close()
    },
  }
}

/** One that nobody keeps. */
function passingCertificate(host: string | undefined): ServingCertificate {
  const names = ['localhost', hostname(), ...(host === undefined ? [] : [host])] as const
  const { cert, key, ca } = makeCertificate([...names], systemClock.now())
  const current = keyPairOf(cert, key, ca)
  return { current, onChange: () => () => undefined, refresh: () => Promise.resolve(), close: () => undefined }
}
