import type { Socket } from 'node:net'
import type { Address } from './dial.js'
import { readAnswer } from './handshake.js'
import { headerLine } from './request-head.js'
import { parseResponseHead } from './response-head.js'

const MAX_ANSWER = 64 * 1024

/** Requests a connection to a server from an HTTP proxy (RFC 9110, section 9.3.6). */
export async function httpConnect(
  socket: Socket,
  { host, port }: Address,
  authorization: string,
  signal: AbortSignal,
): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = authorization === '' ? '' : headerLine('proxy-authorization', authorization)
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credentials}\r\n`)
  const answer = await readAnswer(socket, signal, (bytes) => {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0 && bytes.length > MAX_ANSWER) throw new Error('the proxy does not respond in HTTP')
    return end < 0 ? undefined : end + 4
  })
  const { status } = parseResponseHead(answer.toString('latin1', 0, answer.length - 4), 'CONNECT')
  if (status === 200) return socket
  const hint = status === 407 ? ': it requires a user name and password in the proxy URL' : ''
  throw Object.assign(new Error(`the proxy responded with ${status} to CONNECT ${target}${hint}`), { code: 'EPROXY' })
}
