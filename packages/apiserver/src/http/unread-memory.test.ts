// Runs in its own process, since it measures memory.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { listenFor } from '../testing/listening.fixture.js'
import type { WatchSink } from '../watch/types.js'
import { Connections } from './connections.js'
import { HeldAnswers } from './held-answers.js'
import { heldRequests } from './held-requests.js'

const MEBIBYTE = 1024 * 1024
const WATCHES = 100
/** The kernel takes a part of an event for each connection. */
const EVENT = Buffer.alloc(16 * MEBIBYTE, 'x')

async function serveWatches(t: TestContext, answers = new HeldAnswers()) {
  const sinks: WatchSink[] = []
  const { port } = await listenFor(t, {
    handle: (exchange) => {
      exchange.authenticated?.('reader')
      if (exchange.url === '/event') exchange.reply(200, {}, EVENT)
      else sinks.push(exchange.stream(200, {}))
    },
    resources: { connections: new Connections(), heldAnswers: answers, heldRequests: heldRequests() },
  })
  return { port, sinks, answers }
}

async function openUnread(t: TestContext, port: number, protocol: string, request: Buffer): Promise<TLSSocket> {
  const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: [protocol] })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.pause()
  socket.write(request)
  return socket
}

async function until(condition: () => boolean): Promise<void> {
  for (; !condition(); ) await new Promise(setImmediate)
}

/** Encodes a frame (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A client that allows the server to send gigabytes, and opens streams. */
function http2Requests(streams: number): Buffer {
  const unlimited = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])
  const header = (name: string, value: string) =>
    Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])
  const headers = Buffer.concat([
    header(':method', 'GET'),
    header(':scheme', 'https'),
    header(':path', '/watch'),
    header(':authority', 'x'),
  ])
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(4, 0, 0, unlimited),
    frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0, 0])),
    frame(4, 1, 0, Buffer.alloc(0)),
    ...Array.from({ length: streams }, (_, index) => frame(1, 5, 1 + 2 * index, headers)),
  ])
}

for (const [title, protocol, request, connections] of [
  ['HTTP/1.1', 'http/1.1', Buffer.from('GET /watch HTTP/1.1\r\nHost: x\r\n\r\n'), WATCHES],
  ['HTTP/2', 'h2', http2Requests(WATCHES / 4), 4],
] as const) {
  test(`unread responses: watches over ${title} that are not read share an event and buffer a piece each`, async (t) => {
    const { port, sinks, answers } = await serveWatches(t)
    for (let index = 0; index < connections; index++) await openUnread(t, port, protocol, request)
    await until(() => sinks.length === WATCHES)
    const before = process.memoryUsage.rss()
    const full = sinks.filter((sink) => !sink.write(EVENT))
    assert.equal(full.length, WATCHES)
    // Others are served while the kernel takes what it can.
    for (let round = 0; round < 20; round++) {
      const other = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false })
      await once(other, 'connect')
      other.destroy()
    }
    const grown = process.memoryUsage.rss() - before
    assert.ok(grown < 300 * MEBIBYTE, `memory grew by ${Math.round(grown / MEBIBYTE)} MiB`)
    assert.ok(answers.bytes < 2 * EVENT.length, `${answers.bytes} bytes are counted`)
  })
}

test('unread responses: an HTTP/2 session that reads nothing is closed if its streams need more than the limit', async (t) => {
  const { port, sinks, answers } = await serveWatches(t, new HeldAnswers(MEBIBYTE))
  const socket = await openUnread(t, port, 'h2', http2Requests(WATCHES))
  await until(() => sinks.length === WATCHES)
  for (const sink of sinks) sink.write(EVENT)
  const closed = once(socket, 'close')
  await until(() => answers.bytes === 0)
  socket.resume()
  await closed
})

test('unread responses: HTTP/2 responses larger than a piece arrive whole', async (t) => {
  const { port, sinks } = await serveWatches(t)
  const session = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false })
  t.after(() => session.destroy())
  const lengthOf = async (path: string) => {
    let length = 0
    for await (const chunk of session.request({ ':path': path })) length += chunk.length
    return length
  }
  assert.equal(await lengthOf('/event'), EVENT.length)
  const watched = lengthOf('/watch')
  await until(() => sinks.length === 1)
  sinks[0]?.write(EVENT)
  sinks[0]?.end()
  assert.equal(await watched, EVENT.length)
})
