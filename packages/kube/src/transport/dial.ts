import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../clock.js'
import { abortError, ConnectionError, explainSocket } from './connection-error.js'

export interface Address {
  readonly host: string
  readonly port: number
}

/** The TLS options of a connection. */
export interface TlsOptions {
  /** Created lazily: plain connections do not need it. */
  readonly context: SecureContext
  /** The name that the server's certificate must be for: a host name or an IP address. */
  readonly name: string
  readonly insecure: boolean
}

/** The route to a server. */
export interface Route {
  readonly address: Address
  readonly tls: TlsOptions | undefined
  /** The tunnel through a proxy. */
  readonly tunnel: Tunnel | undefined
}

export interface Tunnel {
  /** Host and port of the proxy, for errors. */
  readonly through: string
  open(target: Address, signal: AbortSignal): Promise<Socket>
}

export interface DialOptions {
  readonly clock: Clock
  /** The limit until requests can be sent, in milliseconds. */
  readonly timeout: number
}

/** How long a connection may be idle before the system probes the other side. */
const KEEP_ALIVE_DELAY_MS = 30_000

/** Opens a connection for requests. */
export async function dial(route: Route, signal: AbortSignal, label: string, options: DialOptions): Promise<Socket> {
  const { address, tunnel } = route
  const limit = new AbortController()
  const aborted = () => limit.abort(abortError(signal))
  signal.addEventListener('abort', aborted)
  const cancel = options.clock.after(options.timeout, () => {
    limit.abort(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }))
  })
  let socket: Socket | undefined
  try {
    socket = await (tunnel?.open(address, limit.signal) ?? connectTcp(address, limit.signal))
    return route.tls === undefined ? socket : await secure(socket, route.tls, limit.signal)
  } catch (error) {
    socket?.destroy()
    if (signal.aborted) throw abortError(signal)
    const { code, text } = explainSocket(error as Error)
    const way = `${address.host}:${address.port}${tunnel === undefined ? '' : ` through ${tunnel.through}`}`
    throw new ConnectionError(`${label}: ${way}: ${text}`, { code, sent: false, cause: error })
  } finally {
    cancel()
    signal.removeEventListener('abort', aborted)
  }
}

/** A plain connection. */
export async function connectTcp({ host, port }: Address, signal: AbortSignal): Promise<Socket> {
  const { connect } = await import('node:net')
  signal.throwIfAborted()
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS })
  return whenReady(socket, 'connect', signal)
}

/** Starts TLS on an open connection. */
export async function secure(socket: Socket, options: TlsOptions, signal: AbortSignal): Promise<Socket> {
  const [{ connect }, { isIP }] = await Promise.all([import('node:tls'), import('node:net')])
  const secured = connect({
    socket,
    host: options.name,
    // Host names are sent so that the server can choose a certificate; addresses are not (RFC 6066, section 3).
    ...(isIP(options.name) === 0 && { servername: options.name }),
    secureContext: options.context,
    rejectUnauthorized: !options.insecure,
    ALPNProtocols: ['http/1.1'],
  })
  return whenReady(secured, 'secureConnect', signal)
}

/** Resolves at an event of the socket; destroys it on an error or abort. */
function whenReady<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    // Until the next listener is added, an error would end the process.
    socket.on('error', () => undefined)
    const finish = (error: Error | undefined) => {
      socket.off(event, ready)
      socket.off('error', failed)
      socket.off('close', closed)
      signal.removeEventListener('abort', aborted)
      if (error === undefined) return resolve(socket)
      socket.destroy()
      reject(error)
    }
    const ready = () => finish(undefined)
    const failed = (error: Error) => finish(error)
    const closed = () => finish(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    const aborted = () => finish(abortError(signal))
    socket.once(event, ready)
    socket.once('error', failed)
    socket.once('close', closed)
    signal.addEventListener('abort', aborted)
    if (signal.aborted) aborted()
  })
}
