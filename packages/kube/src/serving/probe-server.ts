import { hostname } from 'node:os'
import type { KubeClient } from '../client/client.js'
import { systemClock } from '../clock.js'
import { type Logger, silentLogger } from '../log.js'
import { addProcessMetrics } from '../metrics/process.js'
import { MetricRegistry } from '../metrics/registry.js'
import { keyPairOf } from './key-pair.js'
import { type Listener, listen } from './listener.js'
import { accessTo } from './metrics-access.js'
import { type Check, serveProbe } from './probes.js'
import type { Serve } from './request-handler.js'
import { selfSigned } from './self-signed.js'
import type { ServingCertificate } from './serving-certificate.js'

/** Paths below a prefix. `serve` authenticates and authorizes its requests itself. */
export interface Route {
  readonly prefix: string
  readonly serve: Serve
}

/** Options of the probe server. */
export interface ProbeServerOptions {
  /** Reviews access to metrics. It needs permission to create TokenReviews and SubjectAccessReviews. */
  readonly client: KubeClient
  /** Default all addresses. */
  readonly host?: string | undefined
  /** 0 picks a free port. */
  readonly port: number
  /** Health checks by path, such as `/readyz`. */
  readonly checks: Readonly<Record<string, Check>>
  /** Further paths. Default none. */
  readonly routes?: readonly Route[]
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Default none. */
  readonly log?: Logger
}

/**
 * Serves probes and metrics over TLS, since requests for metrics have tokens. The certificate is self-signed and
 * lives as long as the server: kubelets do not verify it. Resolves when the server listens.
 */
export async function startProbeServer(options: ProbeServerOptions): Promise<Listener> {
  const { client, host, port, checks, routes = [], metrics = new MetricRegistry(), log = silentLogger } = options
  const probes = { checks, metrics, mayReadMetrics: accessTo('/metrics', client) }
  const listener = await listen({
    host,
    port,
    certificate: temporaryCertificate(host),
    serve(path, request, response) {
      const route = routes.find(({ prefix }) => path.startsWith(prefix))
      return route?.serve(path, request, response) ?? serveProbe(path, request, response, probes)
    },
    clock: systemClock,
    log,
  })
  const stopMetrics = addProcessMetrics(metrics)
  return {
    port: listener.port,
    async close() {
      stopMetrics()
      await listener.close()
    },
  }
}

/** A certificate in memory only. */
function temporaryCertificate(host: string | undefined): ServingCertificate {
  const names = ['localhost', hostname(), ...(host === undefined ? [] : [host])] as const
  const { cert, key, ca } = selfSigned('probes', [...names], systemClock.now())
  const current = keyPairOf(cert, key, ca)
  return { current, onChange: () => () => undefined, refresh: () => Promise.resolve(), close: () => undefined }
}
