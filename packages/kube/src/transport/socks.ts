import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { Address } from './dial.js'
import { readAnswer } from './handshake.js'

const VERSION = 5
const NO_CREDENTIALS = 0
const PASSWORD = 2
const CONNECT = 1
const REFUSALS: Readonly<Record<number, string>> = {
  1: 'it failed',
  2: 'its rules forbid it',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection was refused',
  6: 'it took too long',
}

/** Requests a connection to a server from a SOCKS 5 proxy (RFC 1928, RFC 1929); the proxy resolves the name. */
export async function socksConnect(
  socket: Socket,
  target: Address,
  credentials: { readonly username: string; readonly password: string } | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const method = credentials === undefined ? NO_CREDENTIALS : PASSWORD
  const offered = credentials === undefined ? [NO_CREDENTIALS] : [NO_CREDENTIALS, PASSWORD]
  const greeting = await ask(socket, Buffer.from([VERSION, offered.length, ...offered]), signal, 2)
  if (greeting[1] === PASSWORD && credentials !== undefined) {
    const reply = await ask(socket, passwordMessage(credentials), signal, 2)
    if (reply[1] !== 0) throw refused('the user name or password is wrong')
  } else if (greeting[1] !== NO_CREDENTIALS) {
    const need =
      method === NO_CREDENTIALS
        ? 'it requires a user name and password in the proxy URL'
        : 'it requires another authentication method'
    throw refused(need)
  }
  socket.write(connectMessage(target))
  const reply = await readAnswer(socket, signal, replyLength)
  if (reply[1] !== 0) throw refused(REFUSALS[reply[1] ?? 1] ?? `code ${reply[1]}`)
  return socket
}

function ask(socket: Socket, message: Buffer, signal: AbortSignal, length: number): Promise<Buffer> {
  socket.write(message)
  return readAnswer(socket, signal, (bytes) => (bytes.length < length ? undefined : length))
}

function refused(why: string): Error {
  return Object.assign(new Error(`the SOCKS proxy refused: ${why}`), { code: 'EPROXY' })
}

function passwordMessage({ username, password }: { username: string; password: string }): Buffer {
  return Buffer.concat([Buffer.from([1]), counted(username), counted(password)])
}

function connectMessage({ host, port }: Address): Buffer {
  const end = Buffer.from([port >> 8, port & 255])
  return Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(host), end])
}

function addressBytes(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)])
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4]), ipv6Bytes(host)])
  return Buffer.concat([Buffer.from([3]), counted(host)])
}

function ipv6Bytes(host: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::')
  const front = head.split(':').filter((part) => part !== '')
  const back = tail.split(':').filter((part) => part !== '')
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 255) throw new Error('SOCKS does not support names longer than 255 bytes')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

function replyLength(bytes: Buffer): number | undefined {
  if (bytes.length < 5) return undefined
  const address = { 1: 4, 3: 1 + (bytes[4] ?? 0), 4: 16 }[bytes[3] ?? 0]
  if (address === undefined) throw new Error('the SOCKS proxy did not respond with SOCKS 5')
  const length = 4 + address + 2
  return bytes.length < length ? undefined : length
}
