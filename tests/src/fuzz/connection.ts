import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { ServerProcess } from '../support/server.js'
import { TIMEOUT_MS } from './settings.js'

/** A TLS connection as the administrator, for bytes that no HTTP client would send. */
export async function rawConnection(server: ServerProcess): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.url)
  const { ca, cert, key } = server.credentials
  const socket = connectTls({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve)
    socket.once('close', () => reject(new Error('the handshake failed')))
  })
  return socket
}

/** An HTTP/2 session as the administrator. */
export async function http2Session(
  server: ServerProcess,
  settings: { initialWindowSize?: number } = {},
): Promise<ClientHttp2Session> {
  const session = connectHttp2(server.url, { ...server.credentials, settings })
  session.on('error', () => session.destroy())
  await new Promise<void>((resolve, reject) => {
    session.once('connect', () => resolve())
    session.once('close', () => reject(new Error('the connection failed')))
  })
  return session
}

/** Everything a connection sends until it ends, or until `isWhole` holds. Rejects if neither comes in time. */
export function received(socket: TLSSocket, isWhole: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const late = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the server neither answered nor hung up: ${text}`))
    }, TIMEOUT_MS)
    const done = () => {
      clearTimeout(late)
      resolve(text)
    }
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (isWhole(text)) done()
    })
    socket.once('close', done)
  })
}

/** Sends bytes on a new connection and returns the response before it ends. */
export async function exchange(
  server: ServerProcess,
  bytes: string | Buffer,
  isWhole?: (text: string) => boolean,
): Promise<string> {
  const socket = await rawConnection(server)
  const answer = received(socket, isWhole)
  socket.write(bytes)
  const text = await answer
  socket.destroy()
  return text
}

/** The status lines in the data of a connection. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
}
