import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { listenFor } from '../testing/listening.fixture.js'
import { Connections } from './connections.js'
import type { Exchange } from './exchange.js'
import { HeldAnswers } from './held-answers.js'
import { heldRequests } from './held-requests.js'
import type { Listener } from './listener.js'

interface Impatience {
  readonly handshakeTimeoutMilliseconds?: number
  readonly headersTimeoutMilliseconds?: number
}

async function serve(t: TestContext, impatience: Impatience, connections = new Connections()): Promise<Listener> {
  const listener = await listenFor(t, {
    handle: (exchange: Exchange) => {
      const { authorization } = exchange.headers
      if (typeof authorization === 'string') exchange.authenticated?.(authorization)
      exchange.reply(200, {}, Buffer.from('ok'))
    },
    ...impatience,
    resources: { connections, heldAnswers: new HeldAnswers(), heldRequests: heldRequests() },
  })
  return listener
}

async function openTcp(t: TestContext, port: number): Promise<Socket> {
  const socket = connectTcp({ port, host: '127.0.0.1' })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  return socket
}

/** Resolves when a connection is closed for any reason. */
function closed(connection: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => connection.once('close', () => resolve()))
}

/** Sends single bytes until the connection is closed. */
async function dribble(socket: NodeJS.WritableStream & { destroyed: boolean }, bytes: Buffer): Promise<void> {
  let next = 0
  const timer = setInterval(() => {
    if (!socket.destroyed) socket.write(bytes.subarray(next % bytes.length, (next++ % bytes.length) + 1))
  }, 10)
  await closed(socket)
  clearInterval(timer)
}

test('listener: closes a connection that sends no ClientHello', async (t) => {
  const { port } = await serve(t, { handshakeTimeoutMilliseconds: 50 })
  await closed(await openTcp(t, port))
})

test('listener: closes a connection whose ClientHello comes byte by byte', async (t) => {
  const { port } = await serve(t, { handshakeTimeoutMilliseconds: 100 })
  await dribble(await openTcp(t, port), Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...new Array(300).fill(1)]))
})

test('listener: closes a connection that is not TLS', async (t) => {
  const { port } = await serve(t, {})
  const socket = await openTcp(t, port)
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await closed(socket)
})

test('listener: closes a connection whose head comes byte by byte', async (t) => {
  const { port } = await serve(t, { headersTimeoutMilliseconds: 100 })
  const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => undefined)
  await once(socket.resume(), 'secureConnect')
  await dribble(socket, Buffer.from(`GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}`))
})

test('listener: closes an HTTP/2 session that sends pings and never a request', async (t) => {
  const { port } = await serve(t, { headersTimeoutMilliseconds: 100 })
  const session = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false })
  session.on('error', () => undefined)
  await once(session, 'connect')
  const timer = setInterval(() => session.closed || session.ping(() => undefined), 10)
  await closed(session)
  clearInterval(timer)
})

test('listener: serves authenticated clients while others use up the unauthenticated connections', async (t) => {
  const connections = new Connections({ total: 100, unauthenticated: 10 })
  const { port } = await serve(t, {}, connections)
  const ask = async (socket: Socket) => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nAuthorization: ann\r\n\r\n')
    await once(socket, 'data')
  }
  const log = async () => {
    const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    t.after(() => socket.destroy())
    await once(socket, 'secureConnect')
    return socket
  }
  const before = await log()
  await ask(before)
  const silent: Socket[] = []
  for (let index = 0; index < 300; index++) silent.push(await openTcp(t, port))
  await ask(before)
  await ask(await log())
  assert.ok(connections.unauthenticated <= 10)
  assert.ok(connections.size <= 12)
})
