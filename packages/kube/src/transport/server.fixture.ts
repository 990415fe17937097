import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { TLSSocket, TlsOptions } from 'node:tls'
import type { HttpResponse, Transport } from '../client/transport.js'
import { type Authority, privateKeyPem } from '../pki/authority.js'
import { encodePem } from '../pki/pem.js'
import { usagesFromNames } from '../pki/usages.js'
import { hoursFrom, issueClient } from '../testing/certificates.js'
import { type ConnectOptions, connect } from './connect.js'

export interface TestServer {
  readonly port: number
  /** The number of connections so far, and the open ones. */
  readonly connections: { count: number; readonly open: Set<Socket> }
}

async function listen(t: TestContext, server: Server, event = 'connection'): Promise<TestServer> {
  const connections = { count: 0, open: new Set<Socket>() }
  server.on(event, (socket: Socket) => {
    connections.count++
    connections.open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => connections.open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const socket of connections.open) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, connections }
}

/** A plain HTTP server for one test. */
export function startHttp(t: TestContext, listener: RequestListener): Promise<TestServer> {
  return listen(t, createHttpServer({ keepAliveTimeout: 60_000 }, listener))
}

/** An HTTPS server for one test. */
export function startHttps(t: TestContext, options: TlsOptions, listener: RequestListener): Promise<TestServer> {
  return listen(t, createHttpsServer({ keepAliveTimeout: 60_000, ...options }, listener), 'secureConnection')
}

/** A server with any protocol. */
export function startTcp(t: TestContext, onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listen(t, createTcpServer(onConnection))
}

/** Sends these responses to the requests on a connection, one after the other; then nothing. */
export function startScript(t: TestContext, ...answers: readonly string[]): Promise<TestServer> {
  let next = 0
  return startTcp(t, (socket) => {
    socket.on('data', () => {
      const answer = answers[next++]
      if (answer !== undefined) socket.write(answer)
    })
  })
}

/** A certificate, with its key, for a server at 127.0.0.1 or for a client. */
export function issued(authority: Authority, name: string, groups: readonly string[] = []) {
  const now = new Date()
  const { certificate, key } = issueClient(
    authority,
    { name, groups },
    {
      usages: usagesFromNames(['digital signature', 'client auth', 'server auth']),
      altNames: { dns: ['localhost', name], ips: ['127.0.0.1'], emails: [], uris: [] },
      notBefore: hoursFrom(now, -1),
      notAfter: hoursFrom(now, 1),
    },
  )
  return { cert: encodePem('CERTIFICATE', certificate.der), key: privateKeyPem(key) }
}

/** A transport to a plain server, without proxies and retries. */
export function to({ port }: TestServer, options: ConnectOptions = {}): Transport {
  return connect({ server: `http://127.0.0.1:${port}` }, { retry: false, environment: {}, ...options })
}

/** Runs all pending callbacks. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** The response to a GET. */
export async function get(transport: Transport, path = '/', headers: Record<string, string> = {}): Promise<string> {
  const response: HttpResponse = await transport.request({ method: 'GET', path, headers })
  return `${response.status} ${await response.bytes()}`
}

/** The name in the client's certificate. */
export function peerName(socket: Socket): string {
  return String((socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody')
}
