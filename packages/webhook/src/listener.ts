import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock, Logger } from '@orrery/kube'
import type { KeyPair } from './certificate/key-pair.js'
import type { ServingCertificate } from './certificate/serving-certificate.js'
import type { RequestHandler } from './handler.js'

export interface ListenerOptions {
  /** Undefined: all addresses. */
  readonly host: string | undefined
  readonly port: number
  readonly certificate: ServingCertificate
  /** In PEM: who may be asked for a certificate. */
  readonly clientAuthority?: string | undefined
  readonly handler: RequestHandler
  readonly clock: Clock
  readonly log: Logger
}

/** A port that answers over TLS. */
export interface Listener {
  readonly port: number
  /** Takes no more connections, answers what it was asked, for up to two seconds, and ends. */
  close(): Promise<void>
}

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
/** Idle connections are kept longer than API servers keep theirs: whoever closes first may cut a request off. */
const KEEP_ALIVE_MS = 120_000
const GRACE_MS = 2_000

/** Opens a port. Until there is a certificate nobody gets through the handshake. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { certificate, clientAuthority, handler, clock, log } = options
  const tls = (pair: KeyPair | undefined) => ({
    ...(pair !== undefined && { cert: pair.cert, key: pair.key }),
    minVersion: 'TLSv1.2' as const,
    ...(clientAuthority !== undefined && { ca: clientAuthority }),
  })
  const server = createServer({
    ...tls(certificate.current),
    requestCert: clientAuthority !== undefined,
    // Probes come without a certificate: it is asked for where it matters.
    rejectUnauthorized: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on('request', (request, response) => void handler.handle(request, response))
  await opened(server, options.host, options.port)
  const stopFollowing = certificate.onChange((pair) => server.setSecureContext(tls(pair)))
  // A connection that could not be taken, for want of file descriptors say, is no reason to stop taking others.
  server.on('error', (error) => log.warn('a connection could not be taken', { error }))
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
