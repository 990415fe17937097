import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Stream, constants } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { after, before, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { type ServerProcess, startServer } from '../support/server.js'
import { exchange, http2Session, rawConnection, received, statusesOf } from './connection.js'
import { recovered, type ServerState, stateOf, text } from './server-state.js'
import { LENGTH } from './settings.js'

let server: ServerProcess
let calm: ServerState
const cleanUp: (() => unknown)[] = []

before(async () => {
  server = await startServer({ after: (step) => void cleanUp.push(step as () => unknown) })
  calm = await stateOf(server)
})

after(async () => {
  for (const step of cleanUp.reverse()) await step()
})

/** Every test ends with a server in its original state. */
function attack(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    await run()
    await recovered(server, calm)
    assert.equal(await text(server, '/readyz'), 'ok')
  })
}

const HOST = 'Host: localhost\r\n'

attack('wire: pipelined requests are answered in order', async () => {
  const paths = ['/version', '/api/v1/namespaces/default', '/nowhere', '/readyz']
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`).join('')
  const last = `GET /livez HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
  assert.deepEqual(statusesOf(await exchange(server, requests + last)), [200, 200, 404, 200, 200])
})

attack('wire: rejects or disconnects anything but HTTP', async () => {
  const heads = [
    'GARBAGE\r\n\r\n',
    'GET /version HTTP/9.9\r\n\r\n',
    `FROB /api/v1/pods HTTP/1.1\r\n${HOST}\r\n`,
    `POST /api/v1/namespaces HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
    `POST /api/v1/namespaces HTTP/1.1\r\n${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    `POST /api/v1/namespaces HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /api/v1/namespaces HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`,
    `POST /api/v1/namespaces HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
    `GET /version HTTP/1.1\r\n${HOST}Bad Header: x\r\n\r\n`,
    `GET /version HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`,
    'GET /version HTTP/1.1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000',
    `${'\r\n'.repeat(1000)}x\r\n\r\n`,
  ]
  for (const head of heads) {
    const statuses = statusesOf(await exchange(server, head))
    assert.ok(
      statuses.every((status) => status >= 400 && status < 500),
      `${statuses} for ${JSON.stringify(head)}`,
    )
  }
})

attack('wire: a head that is too long is a 431 with a Status', async () => {
  // It ends soon after the limit: bytes that the server does not read reset the connection, and its answer may be lost.
  const answer = await exchange(server, `GET /version HTTP/1.1\r\n${HOST}X: ${'x'.repeat(256 * 1024)}\r\n\r\n`)
  assert.deepEqual(statusesOf(answer), [431])
  assert.match(answer, /"kind":"Status"/)
})

attack('wire: no header is dropped silently', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: y\r\n`).join('')
  const request = `GET /api/v1/namespaces HTTP/1.1\r\n${HOST}${many}Impersonate-User: nobody\r\nConnection: close\r\n\r\n`
  assert.deepEqual(statusesOf(await exchange(server, request)), [403])
})

attack('wire: rejects a body beyond the limit while it is being sent', async () => {
  const head = `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`
  const size = 3 * 1024 * 1024 + 1
  for (const [framing, body] of [
    [`Content-Length: ${size}\r\n\r\n`, 'x'.repeat(size)],
    ['Transfer-Encoding: chunked\r\n\r\n', `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`],
  ] as const) {
    const answer = await exchange(
      server,
      head + framing + body,
      (text) => text.includes('\r\n\r\n{') && text.endsWith('}'),
    )
    assert.deepEqual(statusesOf(answer), [413])
  }
})

attack('wire: a body in tiny chunks costs no more than its size', async () => {
  const head = `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\n${HOST}Connection: close\r\n`
  const body = `${'1\r\nx\r\n'.repeat(500_000)}0\r\n\r\n`
  assert.deepEqual(statusesOf(await exchange(server, `${head}Transfer-Encoding: chunked\r\n\r\n${body}`)), [400])
})

attack('wire: connections that break within a body leave nothing behind', async () => {
  for (let round = 0; round < 50 * LENGTH; round++) {
    const socket = await rawConnection(server)
    socket.write(
      `POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n{"metadata"`,
    )
    if (round % 2 === 0) socket.end()
    else socket.destroy()
  }
})

attack('wire: idle connections and incomplete heads cost only their socket', async () => {
  const sockets = await Promise.all(Array.from({ length: 200 * LENGTH }, () => rawConnection(server)))
  for (const socket of sockets) socket.write('GET /api/v1/nam')
  assert.equal(await text(server, '/livez'), 'ok')
  for (const socket of sockets) socket.destroy()
})

attack('wire: clients that send requests and never read cost little', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => rawConnection(server)))
  for (const socket of sockets) {
    socket.pause()
    socket.write(`GET /openapi/v2 HTTP/1.1\r\n${HOST}\r\n`.repeat(20))
    socket.write(`GET /api/v1/configmaps?watch=1 HTTP/1.1\r\n${HOST}\r\n`)
  }
  assert.equal(await text(server, '/livez'), 'ok')
  for (const socket of sockets) socket.destroy()
})

attack('wire: unknown upgrades get a response and are closed', async () => {
  const upgrade = `${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`
  assert.deepEqual(statusesOf(await exchange(server, `GET /version HTTP/1.1\r\n${upgrade}\r\n`)), [200])
  assert.deepEqual(statusesOf(await exchange(server, `GET /nowhere HTTP/1.1\r\n${upgrade}\r\n`)), [404])
  const post = `POST /api/v1/namespaces HTTP/1.1\r\n${upgrade}Content-Length: 2\r\n\r\n{}`
  assert.deepEqual(statusesOf(await exchange(server, post)), [400])
})

attack('wire: streams that are reset as soon as they are opened', async () => {
  const session = await http2Session(server)
  for (let count = 0; count < 2000 * LENGTH && !session.destroyed; count++) {
    const stream = session.request({ ':path': '/api/v1/namespaces' })
    stream.on('error', () => undefined)
    stream.close(constants.NGHTTP2_CANCEL)
  }
  assert.equal(await text(server, '/livez'), 'ok')
  session.destroy()
})

attack('wire: streams without a flow-control window', async () => {
  const session = await http2Session(server, { initialWindowSize: 0 })
  for (let count = 0; count < 300; count++) {
    const path = count % 2 === 0 ? '/openapi/v2' : '/api/v1/configmaps?watch=1'
    session.request({ ':path': path }).on('error', () => undefined)
  }
  assert.equal(await text(server, '/livez'), 'ok')
  session.destroy()
})

attack('wire: HTTP/2 requests with invalid pseudo-headers and endless headers', async () => {
  for (const headers of [
    { ':method': 'constructor', ':path': '/api/v1/pods' },
    { ':method': '__proto__', ':path': '/api/v1/namespaces/default/pods/x' },
    { ':method': 'LIST', ':path': '/api/v1/namespaces/default/secrets/x' },
    { ':method': 'DELETECOLLECTION', ':path': '/api/v1/namespaces/default/secrets' },
    { ':path': '*' },
    { ':path': '' },
  ]) {
    const session = await http2Session(server)
    const status = await answerTo(session.request(headers).end())
    assert.ok(status >= 400 && status < 500, `${status} for ${JSON.stringify(headers)}`)
    session.destroy()
  }
  const session = await http2Session(server)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x-${index}`, 'y'.repeat(100)]))
  assert.ok([400, 431].includes(await answerTo(session.request({ ':path': '/version', ...many }).end())))
  session.destroy()
})

/** The status of the response; 400 for a stream that is rejected below HTTP. */
function answerTo(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve) => {
    stream.on('response', (headers) => resolve(Number(headers[':status'])))
    stream.on('error', () => resolve(400))
    stream.on('close', () => resolve(400))
  })
}

attack('wire: disconnects anything but TLS, and old TLS', async () => {
  const { hostname, port } = new URL(server.url)
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'x'.repeat(100_000), '\u0016\u0003\u0001\uffff'.repeat(100)]) {
    const socket = connectTcp(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(bytes)
    await new Promise((resolve) => socket.resume().once('close', resolve))
  }
  const { ca } = server.credentials
  const old = connectTls({ host: hostname, port: Number(port), ca, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' })
  const [error] = await once(old, 'error')
  assert.ok(error instanceof Error)
})

attack('wire: a client that disappears during a watch', async () => {
  for (let round = 0; round < 20; round++) {
    const socket = await rawConnection(server)
    const started = received(socket, (text) => text.includes('ADDED'))
    socket.write(`GET /api/v1/namespaces?watch=1 HTTP/1.1\r\n${HOST}\r\n`)
    await started
    socket.destroy()
  }
})
