import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../clock.js'
import { abortError, ConnectionError, explain } from './connection-error.js'

export interface Address {
  readonly host: string
  readonly port: number
}

/** With whom TLS is spoken, and as whom. */
export interface TlsOptions {
  /** Loaded lazily: a client of a plain server never needs it. */
  readonly context: SecureContext
  /** The name that the server's certificate must be for: a host name or an IP address. */
  readonly name: string
  readonly insecure: boolean
}

/** How to get from here to a server. */
export interface Route {
  readonly address: Address
  readonly tls: TlsOptions | undefined
  /** Leads through a proxy instead. */
  readonly tunnel: Tunnel | undefined
}

export interface Tunnel {
  /** Host and port of the proxy, for errors. */
  readonly through: string
  open(target: Address, signal: AbortSignal): Promise<Socket>
}

export interface DialOptions {
  readonly clock: Clock
  /** How long it may take until requests can be sent, in milliseconds. */
  readonly timeout: number
}

/** How long a connection may be silent before the system asks whether the other side is still there. */
const KEEP_ALIVE_DELAY_MS = 30_000

/** Opens a connection that requests can be sent over. */
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
    const { code, text } = explain(error as Error)
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

/** Speaks TLS over a connection that is there. */
export async function secure(socket: Socket, options: TlsOptions, signal: AbortSignal): Promise<Socket> {
  const [{ connect }, { isIP }] = await Promise.all([import('node:tls'), import('node:net')])
  const secured = connect({
    socket,
    host: options.name,
    // Names are told to the server so that it can choose a certificate; addresses are not (RFC 6066, section 3).
    ...(isIP(options.name) === 0 && { servername: options.name }),
    secureContext: options.context,
    rejectUnauthorized: !options.insecure,
    ALPNProtocols: ['http/1.1'],
  })
  return whenReady(secured, 'secureConnect', signal)
}

/** Resolves when the socket has come so far; destroys it when that fails or is given up. */
function whenReady<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    // From here to the next who listens there are turns of the event loop: an error then would end the process.
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
