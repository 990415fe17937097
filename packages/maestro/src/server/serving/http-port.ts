import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { TlsMaterial, TlsSource } from './tls-files.js'

export interface HttpPortOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Undefined for plain HTTP. Clients may have a certificate; `serve` decides whether they need one. */
  readonly tls: TlsSource | undefined
  /** Answers a request. Never rejects. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The time to receive a request. */
  readonly readTimeoutMs: number
  /** The time without progress of an answer. */
  readonly writeTimeoutMs: number
  readonly clock: Clock
  readonly log: Logger
}

export interface Port {
  readonly port: number
  /** Stops accepting connections, and finishes requests in flight within ten seconds. */
  close(): Promise<void>
}

/** A search can name many ids. Everybody who can connect can send as much. */
const MAX_HEADER_BYTES = 256 * 1024
/** How often requests are looked for that take too long. */
const MAX_CHECKING_MS = 1_000
/** Longer than clients and proxies keep idle connections: the side that closes first may cut off a request. */
const KEEP_ALIVE_MS = 120_000
const GRACE_MS = 10_000

/** Opens a port for HTTP. Certificates that are replaced serve new connections. */
export async function openHttpPort(options: HttpPortOptions): Promise<Port> {
  const { host, tls, serve, readTimeoutMs, writeTimeoutMs, clock, log } = options
  const limits = {
    headersTimeout: readTimeoutMs,
    requestTimeout: readTimeoutMs,
    connectionsCheckingInterval: Math.min(MAX_CHECKING_MS, readTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const secure = tls && createTlsServer({ ...limits, ...contextOf(tls.current), ...askFor(tls.current) })
  const server = secure ?? createServer(limits)
  const inFlight = new Set<Promise<void>>()
  let isClosing = false
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) response.setHeader('connection', 'close')
    response.setTimeout(writeTimeoutMs, () => response.destroy())
    const answered = serve(request, response)
    inFlight.add(answered)
    void answered.finally(() => inFlight.delete(answered))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A connection that cannot be accepted, for example without free file descriptors, does not stop the server.
  server.on('error', (error) => log.warn('cannot accept a connection', { error }))
  const stopFollowing = tls?.onChange((material) => secure?.setSecureContext(contextOf(material)))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      isClosing = true
      stopFollowing?.()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const cancel = clock.after(GRACE_MS, () => server.closeAllConnections())
      await Promise.allSettled(inFlight)
      server.closeIdleConnections()
      await closed
      cancel()
    },
  }
}

function contextOf({ cert, key, clientCa }: TlsMaterial) {
  return { cert, key, minVersion: 'TLSv1.2' as const, ...(clientCa !== undefined && { ca: clientCa }) }
}

/** Clients with tokens have no certificate: `serve` uses only certificates that TLS has verified. */
function askFor({ clientCa }: TlsMaterial) {
  return { requestCert: clientCa !== undefined, rejectUnauthorized: false }
}
