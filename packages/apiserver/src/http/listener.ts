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
import { RequestTurns } from './request-turns.js'
import { type SharedResources, sharedResources } from './serving-limits.js'

export interface ListenerOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly key: string | Buffer
  readonly cert: string | Buffer
  /** Client certificates signed by these are asked for. */
  readonly clientCa: string | Buffer
  readonly handle: (exchange: Exchange) => void
  /** How long a client may take to send the head of a request. Default 15 seconds. */
  readonly headersTimeoutMilliseconds?: number
  /** How long a client may take for the TLS handshake. Default 10 seconds. */
  readonly handshakeTimeoutMilliseconds?: number
  /** Connections and memory. Default: what all listeners of the process share. */
  readonly resources?: SharedResources
}

export interface Listener {
  readonly host: string
  readonly port: number
  readonly connections: number
  /** Serves new connections with another certificate. */
  setCertificate(key: string | Buffer, cert: string | Buffer): void
  /** Stops taking connections, lets running requests finish for a while, then cuts the rest. */
  close(graceMilliseconds?: number): Promise<void>
}

/** A client must send its whole header within this time. */
const HEADERS_TIMEOUT_MS = 15_000
/** Idle connections are kept longer than common load balancers keep theirs. */
const KEEP_ALIVE_MS = 190_000
const HANDSHAKE_TIMEOUT_MS = 10_000
const FIRST_REQUEST_GRACE_MS = 1000
/** How often connections that have nothing more to do are looked for while closing. */
const SWEEP_MS = 20
/** A peer that vanished without a word is found out by TCP probes. */
const PROBE_MS = 30_000
/** Tokens, selectors and lists of impersonated groups are long at times. */
const MAX_HEADER_BYTES = 256 * 1024
const MAX_HEADER_PAIRS = 2000
/** kube-apiserver's limit of parallel requests on one HTTP/2 connection is 100 by default; watches share it. */
const MAX_STREAMS = 1000

/** Opens one TLS port that speaks HTTP/1.1 and HTTP/2, whichever the client negotiates. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { handle, resources = sharedResources() } = options
  const headersTimeout = options.headersTimeoutMilliseconds ?? HEADERS_TIMEOUT_MS
  const checkingInterval = Math.min(5000, headersTimeout)
  /** By the two ends of the connection, which are the same before and after TLS. */
  const clients = new Map<string, Client>()
  const clientOf = (socket: Socket) => clients.get(endpointsOf(socket))
  const turns = new RequestTurns()
  const http1 = createHttp1({
    headersTimeout,
    connectionsCheckingInterval: checkingInterval,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
    noDelay: true,
  })
  // Node drops headers past a count without a word. One of them may say on whose behalf a proxy asks.
  http1.maxHeadersCount = 0
  http1.on('request', (request, response) => {
    const client = clientOf(request.socket)
    if (client === undefined) return
    client.arrived()
    turns.take(request.socket, response, () => handle(new Http1Exchange(request, response, client)))
  })
  http1.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const client = clientOf(request.socket)
    if (client === undefined) return
    client.arrived()
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    try {
      response.assignSocket(request.socket)
    } catch {
      // An earlier request on this connection has no answer yet: Node does not queue what comes with an upgrade.
      socket.destroy()
      return
    }
    response.once('finish', () => request.socket.destroySoon())
    handle(new Http1Exchange(request, response, client, { request, socket, head }))
  })
  http1.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(refusalOf(error.code))
    else socket.destroy()
  })
  // The check for slow headers starts when a server listens; this one is only fed connections.
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
  // Also those that have not come to TLS yet: closing waits for them as well.
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
  const fastPaths = new Set<FastPathConnection>()
  const fastPath: FastPathOptions = {
    handle,
    handOver(connection) {
      fastPaths.delete(connection)
      http1.emit('connection', connection.socket)
      readThroughStream(connection.socket)
    },
    firstByteMilliseconds: headersTimeout,
    idleMilliseconds: KEEP_ALIVE_MS,
  }
  tls.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PROBE_MS)
    const client = clientOf(socket)
    if (client === undefined) {
      socket.destroy()
      return
    }
    // Node's check of slow heads comes a moment after its time is up, and can still answer.
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
  // A connection that could not be taken, for want of file descriptors say, is no reason to stop taking others.
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
      for (const connection of fastPaths) connection.close()
      // Others become idle as their requests end.
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

/**
 * Has Node's parser fed from the stream of the socket. By default it reads the TLS layer directly, which hands over all
 * records at hand even after the parser has paused because the answer before is still being sent. The parser takes that
 * for an error (HPE_PAUSED) and ends the connection. Any listener for `data` makes Node read through the stream.
 */
function readThroughStream(socket: Socket): void {
  const listener = () => undefined
  socket.on('data', listener)
  socket.off('data', listener)
}

/** Ends an HTTP/2 connection that has carried nothing for a while. */
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

/** The last words to a client whose request could not be read. */
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
