import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { connect } from './connect.js'
import { get, OK, startHttp, startScript, startTcp, to, turn, until } from './server.fixture.js'

test('NetTransport: reuses one connection for one request after the other', async (t) => {
  const server = await startHttp(t, (request, response) => response.end(`${request.method} ${request.url}`))
  const transport = to(server)
  t.after(() => transport.close?.())
  for (let i = 0; i < 5; i++) assert.equal(await get(transport, `/${i}`), `200 GET /${i}`)
  assert.equal(server.connections.count, 1)
})

test('NetTransport: sends headers and bodies unchanged', async (t) => {
  const seen: { headers: IncomingMessage['rawHeaders']; body: string }[] = []
  const server = await startHttp(t, async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    seen.push({ headers: request.rawHeaders, body })
    response.end()
  })
  const transport = to(server, { userAgent: 'me/1' })
  t.after(() => transport.close?.())
  const long = 'ü'.repeat(100_000)
  for (const body of ['{"ü":1}', long, Buffer.from(long)]) {
    await transport.request({ method: 'POST', path: '/', headers: { 'impersonate-group': ['a', 'b'] }, body })
  }
  assert.deepEqual(
    seen.map(({ body }) => body),
    ['{"ü":1}', long, long],
  )
  const { headers = [] } = seen[0] ?? {}
  assert.deepEqual(headers.slice(2), [
    'user-agent',
    'me/1',
    'impersonate-group',
    'a',
    'impersonate-group',
    'b',
    'content-length',
    '8',
  ])
})

test('NetTransport: resolves with the head of a response, and streams its body', async (t) => {
  const server = await startHttp(t, (_, response) => {
    response.write('one')
    setImmediate(() => response.write('two', () => setImmediate(() => response.end('three'))))
  })
  const transport = to(server)
  t.after(() => transport.close?.())
  const { body } = await transport.request({ method: 'GET', path: '/' })
  let text = ''
  for await (const piece of body) text += piece
  assert.equal(text, 'onetwothree')
  assert.equal(await get(transport), '200 onetwothree')
  assert.equal(server.connections.count, 1)
})

test('NetTransport: a response that ends with the connection is complete', async (t) => {
  const server = await startTcp(t, (socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'))
  })
  assert.equal(await get(to(server)), '200 all of it')
})

test('NetTransport: skips interim responses', async (t) => {
  const server = await startScript(t, `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`)
  assert.equal(await get(to(server)), '200 ok')
})

test('NetTransport: decompresses responses', async (t) => {
  const text = 'long '.repeat(50_000)
  const server = await startHttp(t, (_, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end(gzipSync(text))
  })
  const transport = to(server)
  t.after(() => transport.close?.())
  assert.equal(await get(transport), `200 ${text}`)
  const { body, headers } = await transport.request({ method: 'GET', path: '/' })
  let read = ''
  for await (const piece of body) read += piece
  assert.equal(read, text)
  assert.equal(headers['content-encoding'], undefined)
  const partly = await transport.request({ method: 'GET', path: '/' })
  for await (const _ of partly.body) break
})

test('NetTransport: fails if a response is not compressed as declared', async (t) => {
  const server = await startHttp(t, (_, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end('plain')
  })
  const transport = to(server)
  t.after(() => transport.close?.())
  const expected = { name: 'ConnectionError', answered: true, message: 'GET /: the response is not gzip' }
  await assert.rejects(get(transport), expected)
  const { body } = await transport.request({ method: 'GET', path: '/' })
  await assert.rejects(async () => {
    for await (const _ of body);
  }, expected)
})

test('NetTransport: requests compression from other machines, but not from this one, and never for watches', async (t) => {
  const asked: (string | undefined)[] = []
  const server = await startHttp(t, (request, response) => {
    asked.push(request.headers['accept-encoding'] as string | undefined)
    response.end()
  })
  const near = to(server)
  // A name that is not known to be this machine's, through a proxy that is.
  const config = { server: 'http://far.example', proxyUrl: `http://127.0.0.1:${server.port}` }
  const far = connect(config, { retry: false })
  const plain = connect({ ...config, disableCompression: true }, { retry: false })
  for (const transport of [near, far, plain]) await get(transport)
  await get(far, '/api/v1/pods?watch=true')
  assert.deepEqual(asked, [undefined, 'gzip', undefined, undefined])
  for (const transport of [near, far, plain]) transport.close?.()
})

test('NetTransport: a signal aborts a request at once in every state', async (t) => {
  const server = await startTcp(t, (socket) => {
    socket.on('data', (bytes) => {
      if (String(bytes).startsWith('GET /begun')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nonly')
    })
  })
  const transport = to(server)
  t.after(() => transport.close?.())
  await assert.rejects(transport.request({ method: 'GET', path: '/', signal: AbortSignal.abort() }), {
    name: 'AbortError',
  })
  assert.equal(server.connections.count, 0)

  const waiting = new AbortController()
  const request = transport.request({ method: 'GET', path: '/', signal: waiting.signal })
  await until(() => server.connections.open.size === 1)
  waiting.abort(new Error('enough'))
  await assert.rejects(request, { message: 'enough' })
  await until(() => server.connections.open.size === 0)

  const reading = new AbortController()
  const begun = await transport.request({ method: 'GET', path: '/begun', signal: reading.signal })
  const rest = begun.bytes()
  reading.abort()
  await assert.rejects(rest, { name: 'AbortError' })
  await until(() => server.connections.open.size === 0)
})

test('NetTransport: closes the connection when the reader stops', async (t) => {
  const server = await startHttp(t, (_, response) => response.write('first'))
  const transport = to(server)
  t.after(() => transport.close?.())
  const { body } = await transport.request({ method: 'GET', path: '/?watch=true' })
  for await (const piece of body) {
    assert.equal(String(piece), 'first')
    break
  }
  await until(() => server.connections.open.size === 0)
})

test('NetTransport: a slow reader makes the server wait', async (t) => {
  let sent = 0
  const server = await startHttp(t, (_, response) => {
    const piece = Buffer.alloc(64 * 1024)
    const more = () => {
      while (sent < 64 * 1024 * 1024) {
        sent += piece.length
        if (!response.write(piece)) return response.once('drain', more)
      }
      return response.end()
    }
    more()
  })
  const transport = to(server)
  t.after(() => transport.close?.())
  const { body } = await transport.request({ method: 'GET', path: '/' })
  let before = -1
  // The server stops sending when the buffers in between are full.
  while (before !== sent) {
    before = sent
    for (let i = 0; i < 50; i++) await turn()
  }
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were sent`)
  let read = 0
  for await (const piece of body) read += piece.length
  assert.equal(read, 64 * 1024 * 1024)
})

test('NetTransport: limits concurrent requests, except watches', async (t) => {
  const open = new Set<() => void>()
  const server = await startHttp(t, (request, response) => {
    if (request.url?.includes('watch')) response.write('x')
    else open.add(() => response.end('done'))
  })
  const transport = to(server, { maxRequests: 2 })
  t.after(() => transport.close?.())
  const watches = await Promise.all(
    Array.from({ length: 20 }, () => transport.request({ method: 'GET', path: '/?watch=true' })),
  )
  assert.equal(watches.length, 20)
  const gaveUp = new AbortController()
  const answers = [get(transport), get(transport)]
  await until(() => open.size === 2)
  const impatient = transport.request({ method: 'GET', path: '/', signal: gaveUp.signal })
  answers.push(get(transport), get(transport))
  gaveUp.abort()
  await assert.rejects(impatient, { name: 'AbortError' })
  const finish = () => {
    for (const end of open) end()
    open.clear()
  }
  finish()
  await until(() => open.size === 2)
  finish()
  assert.deepEqual(await Promise.all(answers), Array(4).fill('200 done'))
})
