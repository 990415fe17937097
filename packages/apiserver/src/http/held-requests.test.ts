import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { listenFor } from '../testing/listening.fixture.js'
import { Connections } from './connections.js'
import type { Exchange } from './exchange.js'
import { HeldAnswers } from './held-answers.js'
import { heldRequests } from './held-requests.js'

const LIMIT = 1024 * 1024
const LARGE = 'x'.repeat(60 * 1024)

interface Served {
  readonly port: number
  readonly requests: HeldAnswers
  readonly connections: Connections
  readonly open: Set<Exchange>
}

/** Serves watches without end; answers `/version` at once, and `/body` with the memory of requests. */
async function serve(t: TestContext): Promise<Served> {
  const requests = heldRequests(LIMIT)
  const connections = new Connections()
  const open = new Set<Exchange>()
  const { port } = await listenFor(t, {
    handle: (exchange) => {
      const { user } = exchange.headers
      if (typeof user === 'string') exchange.authenticated?.(user)
      if (exchange.url === '/version') {
        exchange.reply(200, {}, Buffer.from('{}'))
        return
      }
      if (exchange.url === '/body') {
        void Promise.resolve(exchange.body(LIMIT)).then(() => exchange.reply(200, {}, Buffer.from(`${requests.bytes}`)))
        return
      }
      open.add(exchange)
      exchange.onClose(() => open.delete(exchange))
      exchange.stream(200, {})
    },
    resources: { connections, heldAnswers: new HeldAnswers(), heldRequests: requests },
  })
  return { port, requests, connections, open }
}

async function dial(t: TestContext, port: number): Promise<TLSSocket> {
  const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return socket
}

async function dialHttp2(t: TestContext, port: number): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  t.after(() => session.destroy())
  session.on('error', () => undefined)
  await once(session, 'connect')
  return session
}

async function until(condition: () => boolean): Promise<void> {
  for (; !condition(); ) await new Promise(setImmediate)
}

const head = (path: string, user: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nUser: ${user}\r\nTE: trailers\r\n${more}\r\n`
const large = `Large: ${LARGE}\r\n`

test('held requests: heads of watches over HTTP/1.1 share the memory, and the user with the most loses the oldest', async (t) => {
  const { port, requests, open } = await serve(t)
  const other = await dial(t, port)
  other.write(head('/watch', 'other', large))
  await until(() => open.size === 1)
  const [first] = open
  const closed: number[] = []
  for (let index = 0; index < 40; index++) {
    const socket = await dial(t, port)
    socket.once('close', () => closed.push(index))
    socket.write(head('/watch', 'greedy', large))
    await once(socket, 'data')
    assert.ok(requests.bytes <= 2 * LIMIT, `${requests.bytes} bytes are held`)
  }
  await until(() => closed.length > 0)
  assert.equal(closed[0], 0)
  assert.ok(open.has(first as Exchange), 'the other user lost a watch')
})

test('held requests: heads of HTTP/2 streams count, and what a stream itself takes', async (t) => {
  const { port, requests, open } = await serve(t)
  const session = await dialHttp2(t, port)
  session.request({ ':path': '/watch', user: 'one', large: LARGE.slice(0, 10_000) }).on('error', () => undefined)
  await until(() => open.size === 1)
  assert.ok(requests.bytes > 28_000, `${requests.bytes} bytes are held`)
  for (let index = 0; index < 300; index++) {
    session.request({ ':path': '/watch', user: 'one' }).on('error', () => undefined)
  }
  await until(() => open.size > 0 && requests.bytes > LIMIT / 2)
  await until(() => requests.bytes <= LIMIT)
  assert.ok(open.size < 130, `${open.size} streams are open`)
  session.destroy()
  await until(() => requests.bytes === 0)
})

test('held requests: pipelined requests count while they wait', async (t) => {
  const { port, requests, open } = await serve(t)
  const socket = await dial(t, port)
  socket.write(head('/watch', 'one'))
  await until(() => open.size === 1)
  const alone = requests.bytes
  socket.write(head('/version', 'one', large))
  await until(() => requests.bytes > alone + 2 * LARGE.length)
  socket.destroy()
  await until(() => requests.bytes === 0)
})

test('held requests: a head that is still arriving counts, also behind a watch', async (t) => {
  const { port, requests, open } = await serve(t)
  const socket = await dial(t, port)
  socket.write(`GET /version HTTP/1.1\r\nHost: x\r\nLarge: ${LARGE}`)
  await until(() => requests.bytes >= 80 * 1024)
  socket.write('\r\n\r\n')
  await once(socket, 'data')
  await until(() => requests.bytes === 0)

  const behind = await dial(t, port)
  behind.write(head('/watch', 'one'))
  await until(() => open.size === 1)
  const alone = requests.bytes
  behind.write(`GET /version HTTP/1.1\r\nHost: x\r\nLarge: ${LARGE}`)
  await until(() => requests.bytes >= alone + 80 * 1024)
})

test('held requests: a body does not count as a head', async (t) => {
  const { port } = await serve(t)
  const socket = await dial(t, port)
  socket.write('POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 600000\r\n\r\n')
  for (let sent = 0; sent < 600_000; sent += LARGE.length) socket.write(LARGE.slice(0, 600_000 - sent))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.ok(Number(answer.toString().split('\r\n\r\n')[1]) < 10_000, answer.toString())
})

test('held requests: the bytes of a WebSocket do not count, but its request does until it closes', async (t) => {
  const requests = heldRequests(LIMIT)
  let received = 0
  const { port } = await listenFor(t, {
    handle: (exchange) => {
      const stream = exchange.webSocket({ protocols: [''], maxMessageBytes: LIMIT })
      stream?.onMessage((message) => {
        received += message.length
      })
    },
    resources: { connections: new Connections(), heldAnswers: new HeldAnswers(), heldRequests: requests },
  })
  const socket = await dial(t, port)
  const key = Buffer.alloc(16).toString('base64')
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n`
  socket.write(head('/socket', 'one', upgrade + large))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1.1 101 /)
  const held = requests.bytes
  assert.ok(held > 2 * LARGE.length, `${held} bytes are held`)
  const payload = Buffer.alloc(60_000)
  const frame = Buffer.concat([Buffer.from([0x82, 0xfe, 60_000 >> 8, 60_000 & 255, 0, 0, 0, 0]), payload])
  for (let index = 0; index < 20; index++) socket.write(frame)
  await until(() => received >= 20 * payload.length)
  assert.equal(requests.bytes, held)
  socket.destroy()
  await until(() => requests.bytes === 0)
})

test('held requests: a connection ends after a request with a large head', async (t) => {
  const { port, requests } = await serve(t)
  const socket = await dial(t, port)
  socket.resume()
  socket.write(head('/version', 'one', large))
  await once(socket, 'close')
  assert.equal(requests.bytes, 0)
})
