import { createServer as createHttp1, type IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttp2, type IncomingHttpHeaders, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTls } from 'node:tls'
import { Client, endpointsOf } from './client.js'
import type { Exchange } from './exchange.js'
import { FastPathConnection, type FastPathOptions } from './fast-path.js'
import { Http1Exchange } from './h1.js'
import { Http2Exchange } from './h2.js'
import { ConnectionRequests } from './held-requests.js'
import { KeepAlive } from './keep-alive.js'
import { writeInPieces } from './paced-writes.js'
import { RequestTurns } from './request-turns.js'
import { type SharedResources, sharedResources } from './serving-limits.js'

export interface ListenerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly key: string | Buffer
  readonly cert: string | Buffer
  /** The CA of client certificates. */
  readonly clientCa: string | Buffer
  readonly handle: (exchange: Exchange) => void
  /** The time limit for the head of a request. Defaults to 15 seconds. */
  readonly headersTimeoutMilliseconds?: number
  /** The time limit for the TLS handshake. Defaults to 10 seconds. */
  readonly handshakeTimeoutMilliseconds?: number
  /** Limits of connections and memory. Defaults to those that all listeners of the process share. */
  readonly resources?: SharedResources
}

export interface Listener {
  readonly host: string
  readonly port: number
  readonly connections: number
  /** Uses another certificate for new connections. */
  setCertificate(key: string | Buffer, cert: string | Buffer): void
  /** Stops accepting connections, lets running requests finish for a grace period, then closes the rest. */
  close(graceMilliseconds?: number): Promise<void>
}

/** The time limit for the head of a request. */
const HEADERS_TIMEOUT_MS = 15_000
/** Longer than the idle timeout of common load balancers. */
const KEEP_ALIVE_MS = 190_000
const HANDSHAKE_TIMEOUT_MS = 10_000
const FIRST_REQUEST_GRACE_MS = 1000
/** How often idle connections are closed during shutdown. */
const SWEEP_MS = 20
/** TCP keep-alive detects a peer that disappeared. */
const PROBE_MS = 30_000
/** Tokens, selectors and lists of impersonated groups can be long. */
const MAX_HEADER_BYTES = 256 * 1024
const MAX_HEADER_PAIRS = 2000
/** kube-apiserver allows 100 concurrent streams on one HTTP/2 connection by default; watches share them. */
const MAX_STREAMS = 1000

/** Opens one TLS port for HTTP/1.1 and HTTP/2, as the client negotiates. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { handle, resources = sharedResources() } = options
  const headersTimeout = options.headersTimeoutMilliseconds ?? HEADERS_TIMEOUT_MS
  const checkingInterval = Math.min(5000, headersTimeout)
  /** By the two endpoints of the connection, which are the same before and after TLS. */
  const clients = new Map<string, Client>()
  const clientOf = (socket: Socket) => clients.get(endpointsOf(socket))
  const turns = new RequestTurns()
  const requests = new WeakMap<Socket, ConnectionRequests>()
  const http1 = createHttp1({
    headersTimeout,
    connectionsCheckingInterval: checkingInterval,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
    noDelay: true,
  })
  // Node.js silently drops headers beyond a count, and one of them may be an impersonation header of a proxy.
  http1.maxHeadersCount = 0
  http1.on('request', (request, response) => {
    const client = clientOf(request.socket)
    const held = requests.get(request.socket)?.add(request, response)
    if (client === undefined || held === undefined) return
    client.arrived()
    turns.take(request.socket, response, () => handle(new Http1Exchange(request, response, client, held)))
  })
  http1.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const client = clientOf(request.socket)
    const held = requests.get(request.socket)?.addUpgrade(request)
    if (client === undefined || held === undefined) return
    client.arrived()
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    try {
      response.assignSocket(request.socket)
    } catch {
      // An earlier request on this connection has no response yet: Node.js does not queue an upgrade behind it.
      socket.destroy()
      return
    }
    response.once('finish', () => request.socket.destroySoon())
    handle(new Http1Exchange(request, response, client, held, { request, socket, head }))
  })
  http1.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(refusalOf(error.code))
    else socket.destroy()
  })
  // The check for slow headers starts with `listening`; this server only receives connections.
  http1.emit('listening')

  const http2 = createHttp2({
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
    maxHeaderListPairs: MAX_HEADER_PAIRS,
    maxSessionMemory: 64,
  })
  const sessions = new Map<ServerHttp2Session, Client>()
  http2.on('session', (session: ServerHttp2Session) => {
    const client = clientOf(session.socket)
    if (client === undefined) return session.destroy()
    sessions.set(session, client)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
    closeWhenIdle(session)
  })
  http2.on('sessionError', () => undefined)
  http2.on('stream', (stream, headers: IncomingHttpHeaders) => {
    const { session } = stream
    const client = session && sessions.get(session as ServerHttp2Session)
    if (session === undefined || client === undefined) return
    client.arrived()
    handle(new Http2Exchange(stream, headers, session.socket, client))
  })

  const handshakeTimeout = options.handshakeTimeoutMilliseconds ?? HANDSHAKE_TIMEOUT_MS
  const tls = createTls({
    key: options.key,
    cert: options.cert,
    ca: options.clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    handshakeTimeout,
    ALPNProtocols: ['h2', 'http/1.1'],
  })
  // Includes connections before TLS, since closing waits for them too.
  const open = new Set<Socket>()
  tls.on('connection', (socket: Socket) => {
    const connection = resources.connections.open(socket)
    if (connection === undefined) return
    const endpoints = endpointsOf(socket)
    const client = new Client(connection, resources)
    client.expect(handshakeTimeout)
    clients.set(endpoints, client)
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      client.arrived()
      if (clients.get(endpoints) === client) clients.delete(endpoints)
    })
  })
  const fastPaths = new KeepAlive(KEEP_ALIVE_MS)
  const fastPath: FastPathOptions = {
    handle,
    handOver(connection) {
      fastPaths.delete(connection)
      const { socket, client } = connection
      http1.emit('connection', socket)
      // This also makes the parser of Node.js read from the stream of the socket. By default it reads the TLS layer
      // directly, which passes on all available records even after the parser has paused because the previous response
      // is still being sent. The parser treats that as an error (HPE_PAUSED) and ends the connection.
      requests.set(socket, new ConnectionRequests(socket, client))
    },
    firstRequestMilliseconds: headersTimeout,
  }
  tls.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PROBE_MS)
    writeInPieces(socket, { copies: false })
    const client = clientOf(socket)
    if (client === undefined) {
      socket.destroy()
      return
    }
    // Node.js checks slow heads a moment after the time limit and can still answer.
    client.expect(headersTimeout + checkingInterval + FIRST_REQUEST_GRACE_MS)
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket)
    else {
      const connection = new FastPathConnection(socket, client, fastPath)
      fastPaths.add(connection)
      socket.once('close', () => fastPaths.delete(connection))
    }
  })
  tls.on('tlsClientError', (_error, socket) => socket.destroy())

  await new Promise<void>((resolve, reject) => {
    tls.once('error', reject)
    tls.listen({ host: options.host, port: options.port }, () => {
      tls.off('error', reject)
      resolve()
    })
  })
  // Failing to accept one connection, for example without file descriptors, must not stop the listener.
  tls.on('error', () => undefined)
  const address = tls.address() as AddressInfo
  return {
    host: address.address,
    port: address.port,
    get connections() {
      return open.size
    },
    setCertificate: (key, cert) => tls.setSecureContext({ key, cert, ca: options.clientCa, minVersion: 'TLSv1.2' }),
    async close(graceMilliseconds = 2000) {
      const closed = new Promise<void>((resolve) => tls.close(() => resolve()))
      for (const session of sessions.keys()) session.close()
      http1.closeIdleConnections()
      fastPaths.close()
      // Others become idle when their requests end.
      const sweep = setInterval(() => http1.closeIdleConnections(), SWEEP_MS)
      const cut = setTimeout(() => {
        for (const socket of open) socket.destroy()
      }, graceMilliseconds)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
      http1.close()
    },
  }
}

/** Closes an idle HTTP/2 connection. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let streams = 0
  session.on('stream', (stream) => {
    streams++
    stream.once('close', () => streams--)
  })
  session.setTimeout(KEEP_ALIVE_MS, () => {
    if (streams === 0) session.close()
  })
}

/** Returns the response for a request that could not be parsed. */
function refusalOf(code: string | undefined): string {
  const [status, reason, text] = REFUSALS.get(code ?? '') ?? [400, 'BadRequest', 'Bad Request']
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the request could not be read: ${text}`,
    reason,
    code: status,
  })
  const head = `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: application/json\r\n`
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
}

const REFUSALS: ReadonlyMap<string, readonly [number, string, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'RequestHeaderFieldsTooLarge', 'Request Header Fields Too Large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Timeout', 'Request Timeout']],
])
