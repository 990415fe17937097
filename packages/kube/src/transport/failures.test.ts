import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { connect } from './connect.js'
import { ConnectionError, isConnectionError } from './connection-error.js'
import { get, OK, startHttp, startScript, startTcp, to, until } from './server.fixture.js'

test('Pool: detects a connection that the server closed before it sends', async (t) => {
  const server = await startHttp(t, (_, response) => response.end('ok'))
  const transport = to(server)
  t.after(() => transport.close?.())
  await get(transport)
  for (const socket of server.connections.open) socket.end()
  await until(() => server.connections.open.size === 0)
  const response = await transport.request({ method: 'POST', path: '/', body: '{}' })
  assert.equal(response.status, 200)
  assert.equal(server.connections.count, 2)
})

/** The first connection responds once and is reset by the next request; the others always respond. */
const fickle = (socket: Socket, index: number) => {
  let answered = 0
  socket.on('data', () => {
    if (index === 0 && answered++ > 0) socket.resetAndDestroy()
    else socket.write(OK)
  })
}

test('Pool: sends a GET again if the connection turns out to be dead', async (t) => {
  let count = 0
  const server = await startTcp(t, (socket) => fickle(socket, count++))
  const transport = to(server)
  t.after(() => transport.close?.())
  assert.equal(await get(transport), '200 ok')
  assert.equal(await get(transport), '200 ok')
  assert.equal(count, 2)
})

test('Pool: does not send a POST again, since it may have been processed', async (t) => {
  let count = 0
  const server = await startTcp(t, (socket) => fickle(socket, count++))
  const transport = to(server)
  t.after(() => transport.close?.())
  await get(transport)
  await assert.rejects(transport.request({ method: 'POST', path: '/a?b=c', body: '{}' }), (error: unknown) => {
    assert.ok(error instanceof ConnectionError && isConnectionError(error))
    assert.deepEqual([error.code, error.sent, error.answered], ['ECONNRESET', true, false])
    assert.equal(error.message, 'POST /a: the connection was reset')
    return true
  })
  assert.equal(count, 1)
})

test('Pool: does not retry on a new connection', async (t) => {
  const server = await startTcp(t, (socket) => socket.on('data', () => socket.destroy()))
  await assert.rejects(get(to(server)), { code: 'ECONNRESET' })
  assert.equal(server.connections.count, 1)
})

test('Connection: fails if a response stops in the middle', async (t) => {
  const server = await startTcp(t, (socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
  })
  await assert.rejects(get(to(server)), { code: 'ECONNRESET', answered: true })
})

test('Connection: does not take unexpected bytes for the next response', async (t) => {
  const server = await startScript(t, `${OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`, OK)
  const transport = to(server)
  t.after(() => transport.close?.())
  assert.equal(await get(transport), '200 ok')
  assert.equal(await get(transport), '200 ok')
  assert.equal(server.connections.count, 2)
})

test('Connection: rejects a response that is not HTTP', async (t) => {
  for (const answer of [
    'SSH-2.0-OpenSSH_9\r\n\r\n',
    'HTTP/1.1 101 Switching\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(300_000)}`,
  ]) {
    const server = await startScript(t, answer)
    await assert.rejects(get(to(server)), { name: 'ConnectionError', code: 'EPROTO' })
  }
})

test('connect: closing aborts active requests and rejects new ones', async (t) => {
  const server = await startScript(t)
  const transport = to(server, { maxRequests: 1 })
  const asking = [get(transport), get(transport), get(transport, '/?watch=true')]
  await until(() => server.connections.open.size === 2)
  transport.close?.()
  for (const result of await Promise.allSettled(asking)) {
    assert.equal(result.status === 'rejected' && (result.reason as ConnectionError).code, 'ECLOSED')
  }
  await assert.rejects(get(transport), { code: 'ECLOSED' })
  await until(() => server.connections.open.size === 0)
})

test('connect: reports an unreachable server and an unknown host name', async (t) => {
  const server = await startScript(t)
  const { port } = server
  const gone = connect({ server: 'http://127.0.0.1:1' }, { retry: false, environment: {} })
  await assert.rejects(get(gone, '/api?x=hush'), {
    code: 'ECONNREFUSED',
    sent: false,
    message: 'GET /api: 127.0.0.1:1: connection refused: nothing listens there',
  })
  const nobody = connect({ server: `http://no-such-host.invalid:${port}` }, { retry: false, environment: {} })
  await assert.rejects(get(nobody), { name: 'ConnectionError', sent: false })
})
