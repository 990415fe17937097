import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { KeyPair } from './key-pair.js'
import { RequestHandler, type Serve } from './request-handler.js'
import type { ServingCertificate } from './serving-certificate.js'

/** Options of a listener. */
export interface ListenerOptions {
  /** Undefined for all addresses. */
  readonly host: string | undefined
  readonly port: number
  readonly certificate: ServingCertificate
  /** In PEM: clients are asked for a certificate of this authority. They may connect without one; `serve` decides. */
  readonly clientAuthority?: string | undefined
  readonly serve: Serve
  readonly clock: Clock
  readonly log: Logger
}

/** A TLS port. */
export interface Listener {
  readonly port: number
  /** Stops accepting connections, finishes requests in flight within two seconds, and closes. */
  close(): Promise<void>
}

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Longer than API servers keep idle connections: the side that closes first may cut off a request. */
const KEEP_ALIVE_MS = 120_000
const GRACE_MS = 2_000

/** Opens a TLS port. Handshakes fail until there is a certificate. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { certificate, clientAuthority, serve, clock, log } = options
  const handler = new RequestHandler(serve, log)
  const tls = (pair: KeyPair | undefined) => ({
    ...(pair !== undefined && { cert: pair.cert, key: pair.key }),
    minVersion: 'TLSv1.2' as const,
    ...(clientAuthority !== undefined && { ca: clientAuthority }),
  })
  const server = createServer({
    ...tls(certificate.current),
    requestCert: clientAuthority !== undefined,
    // Probes have no certificate: `serve` requires one where it matters.
    rejectUnauthorized: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on('request', (request, response) => void handler.handle(request, response))
  await opened(server, options.host, options.port)
  const stopFollowing = certificate.onChange((pair) => server.setSecureContext(tls(pair)))
  // A connection that cannot be accepted, for example without free file descriptors, does not stop the server.
  server.on('error', (error) => log.warn('cannot accept a connection', { error }))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      stopFollowing()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const cancel = clock.after(GRACE_MS, () => server.closeAllConnections())
      await handler.whenIdle()
      server.closeAllConnections()
      await closed
      cancel()
    },
  }
}

function opened(server: Server, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
