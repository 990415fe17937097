import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { listenFor } from '../testing/listening.fixture.js'
import { Connections } from './connections.js'
import type { Exchange } from './exchange.js'
import { HeldAnswers } from './held-answers.js'
import { heldRequests } from './held-requests.js'

const LIMIT = 1024 * 1024

/** Starts a server that records how its exchanges use their seats. */
async function serve(t: TestContext) {
  const steps: string[] = []
  const wakes: (() => void)[] = []
  const step = (what: string) => {
    steps.push(what)
    for (const wake of wakes.splice(0)) wake()
  }
  /** Waits until a step happened this many times. */
  const made = async (what: string, times = 1) => {
    while (steps.filter((one) => one === what).length < times) await new Promise<void>((wake) => wakes.push(wake))
  }
  const answers = new HeldAnswers()
  const handle = async (exchange: Exchange) => {
    exchange.seated?.({ leave: () => step('leave'), retake: async () => step('retake') })
    if (exchange.method === 'GET') {
      await exchange.replyChunks(
        200,
        {},
        Array.from({ length: 64 }, () => Buffer.alloc(LIMIT)),
      )
      return
    }
    const body = await exchange.body(LIMIT)
    step(`body ${body}`)
    exchange.reply(200, {}, Buffer.from('ok'))
  }
  const listener = await listenFor(t, {
    handle: (exchange) => void handle(exchange).catch(() => step('failed')),
    resources: { connections: new Connections(), heldAnswers: answers, heldRequests: heldRequests() },
  })
  const { port } = listener
  return { port, steps, made, answers }
}

async function openHttp1(t: TestContext, port: number) {
  const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return socket.pause()
}

async function openHttp2(t: TestContext, port: number) {
  const session = connectHttp2(`https://localhost:${port}`, { rejectUnauthorized: false })
  t.after(() => session.destroy())
  session.on('error', () => undefined)
  await once(session, 'connect')
  return session
}

test('seats: HTTP/1.1 releases them while it waits for a body, and counts its bytes', async (t) => {
  const { port, steps, made, answers } = await serve(t)
  const socket = await openHttp1(t, port)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab')
  await made('leave')
  while (answers.bytes < 2) await new Promise(setImmediate)
  socket.write('cd')
  await made('body abcd')
  assert.deepEqual(steps, ['leave', 'retake', 'body abcd'])
  while (answers.bytes > 0) await new Promise(setImmediate)
})

test('seats: HTTP/2 releases them while it waits for a body, and counts its bytes', async (t) => {
  const { port, steps, made, answers } = await serve(t)
  const session = await openHttp2(t, port)
  const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false })
  stream.write('ab')
  await made('leave')
  while (answers.bytes < 2) await new Promise(setImmediate)
  stream.end('cd')
  await made('body abcd')
  assert.deepEqual(steps, ['leave', 'retake', 'body abcd'])
  while (answers.bytes > 0) await new Promise(setImmediate)
})

test('seats: are not retaken for a client that disconnects before its body is complete', async (t) => {
  const { port, steps, made, answers } = await serve(t)
  const socket = await openHttp1(t, port)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab')
  await made('leave')
  socket.destroy()
  await made('failed')
  assert.deepEqual(steps, ['leave', 'failed'])
  assert.equal(answers.bytes, 0)
})

test('seats: are released while a response waits for its client', async (t) => {
  const { port, made } = await serve(t)
  const ordinary = await openHttp1(t, port)
  ordinary.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await made('leave')
  const forNode = await openHttp1(t, port)
  forNode.write('GET / HTTP/1.1\r\nHost: x\r\nTE: x\r\n\r\n')
  await made('leave', 2)
  const session = await openHttp2(t, port)
  session.request({ ':path': '/' }).pause()
  await made('leave', 3)
})
