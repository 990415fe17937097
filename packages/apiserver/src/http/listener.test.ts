import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { StatusError } from '@orrery/kinds/values'
import { listenFor } from '../testing/listening.fixture.js'
import { readBody } from './body.js'
import type { Exchange } from './exchange.js'

/** Opens a port with short time limits that answers every request the same way. */
async function open(t: TestContext, handle: (exchange: Exchange) => void): Promise<number> {
  const listener = await listenFor(t, {
    handle,
    headersTimeoutMilliseconds: 100,
  })
  return listener.port
}

/** Sends bytes and returns what is received until the connection ends. */
function send(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, rejectUnauthorized: false })
  socket.write(bytes)
  return new Promise<string>((resolve) => {
    let all = ''
    socket.on('data', (chunk) => {
      all += chunk.toString('latin1')
    })
    socket.on('error', () => resolve(all))
    socket.on('close', () => resolve(all))
  })
}

const answer = (exchange: Exchange) => exchange.reply(200, {}, Buffer.from('ok'))

test('listen: answers 408 and closes the connection if the head does not arrive', async (t) => {
  const port = await open(t, answer)
  const text = await send(port, 'GET / HTTP/1.1\r\nHost: x\r\nX')
  assert.match(text, /^HTTP\/1\.1 408 /)
  assert.match(text, /"kind":"Status"/)
})

test('listen: closes a connection that sends nothing', async (t) => {
  const port = await open(t, answer)
  await send(port, '')
})

test('listen: answers 504 if the body does not arrive', async () => {
  const silent = new Readable({ read: () => undefined })
  await assert.rejects(
    readBody(silent, undefined, 10, 10),
    (error) => error instanceof StatusError && error.code === 504,
  )
})

test('listen: joins the chunks of a body', async () => {
  const pieces = ['a', 'bc', 'd'.repeat(20_000), 'e'.repeat(50_000), 'f']
  const body = await readBody(Readable.from(pieces.map((piece) => Buffer.from(piece))), undefined, 100_000)
  assert.equal(body.toString(), pieces.join(''))
})

test('listen: answers 413 to a body that exceeds the limit', async () => {
  const endless = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(10)))
  await assert.rejects(readBody(endless, undefined, 100), (error) => error instanceof StatusError && error.code === 413)
})

test('listen: reads a whole body that arrives while the previous response is being sent', async (t) => {
  const large = Buffer.alloc(16 * 1024 * 1024, 'x')
  const port = await open(t, (exchange) => {
    if (exchange.method === 'GET') exchange.reply(200, {}, large)
    else void Promise.resolve(exchange.body(1_000_000)).then((body) => exchange.reply(201, {}, body.subarray(0, 4)))
  })
  const socket = connect({ port, rejectUnauthorized: false })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  // The server of Node.js handles a chunked body.
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
  await once(socket, 'readable')
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n${'body'.repeat(125_000)}`)
  let end = ''
  for await (const chunk of socket) {
    end = (end + (chunk as Buffer).toString('latin1')).slice(-500)
    if (end.endsWith('\r\nbody')) break
  }
  assert.match(end, /HTTP\/1\.1 201 Created\r\n/)
})

test('listen: sends the same Date header over HTTP/1.1 and HTTP/2', async (t) => {
  const port = await open(t, (exchange) => {
    if (exchange.url === '/stream') exchange.stream(200, {}).end()
    else answer(exchange)
  })
  const isNow = (date: string | undefined) => Math.abs(Date.parse(date ?? '') - Date.now()) < 60_000
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  t.after(() => session.destroy())
  for (const path of ['/', '/stream']) {
    const text = await send(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.ok(isNow(/^Date: (.*)\r$/m.exec(text)?.[1]), text)
    const stream = session.request({ ':path': path })
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    assert.ok(isNow(headers.date), JSON.stringify(headers))
    stream.destroy()
  }
})
