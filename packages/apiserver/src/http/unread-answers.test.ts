// Runs in its own process, since it measures memory.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { listenFor } from '../testing/listening.fixture.js'
import { Connections } from './connections.js'
import type { Exchange } from './exchange.js'
import { HeldAnswers } from './held-answers.js'
import { heldRequests } from './held-requests.js'
import { PIECE_BYTES } from './paced-writes.js'

const MEBIBYTE = 1024 * 1024
const LARGE = Buffer.alloc(MEBIBYTE, 'x')

interface Served {
  readonly port: number
  readonly answers: HeldAnswers
  /** The number of large responses so far. */
  readonly given: () => number
}

/** Starts a server whose responses to `/large` are one mebibyte each; the token of a client is its user. */
async function serve(t: TestContext, limit = 64 * MEBIBYTE): Promise<Served> {
  let given = 0
  const handle = async (exchange: Exchange) => {
    const { authorization } = exchange.headers
    if (typeof authorization === 'string') exchange.authenticated?.(authorization)
    if (exchange.url === '/large') {
      given++
      exchange.reply(200, {}, LARGE)
    } else if (exchange.url === '/pieces') {
      given++
      await exchange.replyChunks(200, {}, [LARGE, LARGE])
    } else if (exchange.url === '/watch') exchange.stream(200, {})
    else if (exchange.url === '/events') {
      given++
      const webSocket = exchange.webSocket({ protocols: 'any', maxMessageBytes: 1 })
      const sink = webSocket ?? exchange.stream(200, {})
      let isOpen = true
      sink.onClose(() => {
        isOpen = false
      })
      const fill = () => {
        let takesMore = true
        while (isOpen && takesMore) {
          const event = Buffer.from(LARGE)
          takesMore = 'send' in sink ? sink.send(event, 'binary') : sink.write(event)
        }
      }
      sink.onDrain(fill)
      fill()
    } else exchange.reply(200, {}, Buffer.from('ok'))
  }
  const answers = new HeldAnswers(limit)
  const listener = await listenFor(t, {
    handle: (exchange) => void handle(exchange),
    resources: { connections: new Connections(), heldAnswers: answers, heldRequests: heldRequests() },
  })
  return { port: listener.port, answers, given: () => given }
}

async function open(t: TestContext, port: number): Promise<TLSSocket> {
  const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.pause()
  return socket
}

/** Reads this many bytes. */
function read(socket: TLSSocket, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received >= bytes) resolve()
    })
    socket.resume()
    socket.on('close', () => reject(new Error(`the connection was closed after ${received} bytes`)))
  })
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: greedy\r\n\r\n`
/** The server of Node.js handles a chunked body and everything after it. */
const forNode = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'

/** Sends small requests on another connection until the server had time to serve everything. */
async function settle(t: TestContext, { port, given }: Served): Promise<void> {
  const socket = await open(t, port)
  for (let before = -1, quiet = 0; quiet < 50; ) {
    quiet = given() === before ? quiet + 1 : 0
    before = given()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket.resume(), 'data')
  }
}

for (const [title, start] of [
  ['the ordinary path', ''],
  ["Node's server", forNode],
] as const) {
  test(`held responses: ${title} serves no further request before the response is read`, async (t) => {
    const served = await serve(t)
    const socket = await open(t, served.port)
    const before = process.memoryUsage()
    socket.write(start + get('/large').repeat(2500))
    await settle(t, served)
    const after = process.memoryUsage()
    // The buffers of the kernel take a few.
    assert.ok(served.given() < 50, `${served.given()} of 2,500 answers were given`)
    assert.ok(served.answers.bytes <= MEBIBYTE + PIECE_BYTES)
    const grown = after.external + after.heapUsed - before.external - before.heapUsed
    assert.ok(grown < 100 * MEBIBYTE, `memory grew by ${grown}`)
  })

  test(`held responses: ${title} continues when the client reads`, async (t) => {
    const served = await serve(t)
    const socket = await open(t, served.port)
    socket.write(start + get('/large').repeat(30) + get('/pieces').repeat(10) + get('/last'))
    await settle(t, served)
    await read(socket, 50 * MEBIBYTE)
    assert.equal(served.given(), 40)
    for (; served.answers.bytes > 0; ) await new Promise(setImmediate)
  })
}

test('held responses: the server of Node.js disconnects a client that pipelines requests behind a watch', async (t) => {
  const served = await serve(t)
  const socket = await open(t, served.port)
  socket.write(forNode + get('/watch'))
  await once(socket.resume(), 'data')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const many = get('/').repeat(100)
  for (let sent = 0; sent < 1000 && !socket.destroyed; sent++) {
    const taken = socket.write(many)
    if (!taken) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
  }
  assert.ok(socket.destroyed, 'the server read 100,000 requests')
})

test('held responses: many connections together hold at most twice the limit', async (t) => {
  const limit = 20 * MEBIBYTE
  const served = await serve(t, limit)
  const reader = await open(t, served.port)
  let most = 0
  const sockets: TLSSocket[] = []
  // Two mebibytes in chunks count as a whole while they wait; the kernel takes a part of each response.
  for (let index = 0; index < 40; index++) {
    const socket = await open(t, served.port)
    sockets.push(socket)
    socket.write(get(index % 2 === 0 ? '/large' : '/pieces').repeat(8))
    most = Math.max(most, served.answers.bytes)
  }
  await settle(t, served)
  most = Math.max(most, served.answers.bytes)
  assert.ok(most <= 2 * limit, `${most} bytes were held`)
  for (; served.answers.bytes > limit; ) await new Promise(setImmediate)
  reader.write('GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: modest\r\n\r\n')
  await read(reader, MEBIBYTE)
})

test('held responses: HTTP/2 streams count like connections', async (t) => {
  const limit = 20 * MEBIBYTE
  const served = await serve(t, limit)
  let reset = 0
  // One session takes at most 64 MB, whatever the limit is.
  for (let index = 0; index < 3; index++) {
    const session = connectHttp2(`https://localhost:${served.port}`, { rejectUnauthorized: false })
    t.after(() => session.destroy())
    await once(session, 'connect')
    for (let streams = 0; streams < 30; streams++) {
      const stream = session.request({ ':path': '/large', authorization: 'greedy' })
      stream.on('error', () => reset++)
      stream.pause()
    }
  }
  await settle(t, served)
  assert.equal(served.given(), 90)
  assert.ok(served.answers.bytes <= 2 * limit, `${served.answers.bytes} bytes are held`)
  for (; reset < 50; ) await new Promise(setImmediate)
})

const UPGRADE =
  'GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: greedy\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

for (const [title, request] of [
  ['the ordinary path', get('/events')],
  ["Node's server", forNode + get('/events')],
  ['a WebSocket', UPGRADE],
] as const) {
  test(`held responses: events that wait in the sockets of ${title} count`, async (t) => {
    const limit = 10 * MEBIBYTE
    const served = await serve(t, limit)
    for (let index = 0; index < 40; index++) {
      const socket = await open(t, served.port)
      socket.write(request)
      // The buffers of the kernel take a few events first.
      for (; served.given() <= index || served.answers.bytes === 0; ) await new Promise(setImmediate)
      assert.ok(served.answers.bytes <= 2 * limit, `${served.answers.bytes} bytes are held`)
    }
    await settle(t, served)
    assert.ok(served.answers.bytes <= 2 * limit, `${served.answers.bytes} bytes are held`)
  })
}

test('held responses: events that wait in an HTTP/2 stream count until it closes', async (t) => {
  const served = await serve(t)
  const session = connectHttp2(`https://localhost:${served.port}`, { rejectUnauthorized: false })
  t.after(() => session.destroy())
  const stream = session.request({ ':path': '/events', authorization: 'greedy' }).pause()
  for (; served.answers.bytes === 0; ) await new Promise(setImmediate)
  stream.close()
  for (; served.answers.bytes > 0; ) await new Promise(setImmediate)
})
