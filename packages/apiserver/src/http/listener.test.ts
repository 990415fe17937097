import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { StatusError } from '@orrery/kinds/values'
import { encodePem } from '@orrery/kube/pki'
import { issueClient, testAuthority } from '@orrery/kube/testing'
import { readBody } from './body.js'
import type { Exchange } from './exchange.js'
import { listen } from './listener.js'

const authority = testAuthority()
const { certificate, key } = issueClient(authority, { name: 'localhost' })

/** A port that answers every request the same way, and is impatient. */
async function open(t: TestContext, handle: (exchange: Exchange) => void): Promise<number> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
    cert: encodePem('CERTIFICATE', certificate.der),
    clientCa: authority.certificatePem,
    handle,
    headersTimeoutMilliseconds: 100,
  })
  t.after(() => listener.close(0))
  return listener.port
}

/** Sends bytes and returns what comes back until the connection ends. */
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

test('a head that does not come is a 408, and the end of the connection', async (t) => {
  const port = await open(t, answer)
  const text = await send(port, 'GET / HTTP/1.1\r\nHost: x\r\nX')
  assert.match(text, /^HTTP\/1\.1 408 /)
  assert.match(text, /"kind":"Status"/)
})

test('a connection that says nothing is hung up on', async (t) => {
  const port = await open(t, answer)
  await send(port, '')
})

test('a body that does not come is a 504', async () => {
  const silent = new Readable({ read: () => undefined })
  await assert.rejects(
    readBody(silent, undefined, 10, 10),
    (error) => error instanceof StatusError && error.code === 504,
  )
})

test('the pieces of a body are one, however they come', async () => {
  const pieces = ['a', 'bc', 'd'.repeat(20_000), 'e'.repeat(50_000), 'f']
  const body = await readBody(Readable.from(pieces.map((piece) => Buffer.from(piece))), undefined, 100_000)
  assert.equal(body.toString(), pieces.join(''))
})

test('a body that grows past the limit is a 413', async () => {
  const endless = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(10)))
  await assert.rejects(readBody(endless, undefined, 100), (error) => error instanceof StatusError && error.code === 413)
})

test('listen: a body that comes while the answer before it is still being sent is read whole', async (t) => {
  const large = Buffer.alloc(16 * 1024 * 1024, 'x')
  const port = await open(t, (exchange) => {
    if (exchange.method === 'GET') exchange.reply(200, {}, large)
    else void Promise.resolve(exchange.body(1_000_000)).then((body) => exchange.reply(201, {}, body.subarray(0, 4)))
  })
  const socket = connect({ port, rejectUnauthorized: false })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  // A chunked body is for Node's server.
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
