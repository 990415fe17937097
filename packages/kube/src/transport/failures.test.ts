import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { connect } from './connect.js'
import { ConnectionError, isConnectionError } from './connection-error.js'
import { get, OK, startHttp, startScript, startTcp, to, until } from './server.fixture.js'

test('a connection the server closed meanwhile is noticed before anything is sent', async (t) => {
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

/** The first connection answers once and is reset by the next request; the others always answer. */
const fickle = (socket: Socket, index: number) => {
  let answered = 0
  socket.on('data', () => {
    if (index === 0 && answered++ > 0) socket.resetAndDestroy()
    else socket.write(OK)
  })
}

test('a GET on a connection that turns out to be dead is sent again', async (t) => {
  let count = 0
  const server = await startTcp(t, (socket) => fickle(socket, count++))
  const transport = to(server)
  t.after(() => transport.close?.())
  assert.equal(await get(transport), '200 ok')
  assert.equal(await get(transport), '200 ok')
  assert.equal(count, 2)
})

test('a POST on such a connection is not: it may have been done', async (t) => {
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

test('a fresh connection that dies is not tried again', async (t) => {
  const server = await startTcp(t, (socket) => socket.on('data', () => socket.destroy()))
  await assert.rejects(get(to(server)), { code: 'ECONNRESET' })
  assert.equal(server.connections.count, 1)
})

test('an answer that stops in the middle fails', async (t) => {
  const server = await startTcp(t, (socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
  })
  await assert.rejects(get(to(server)), { code: 'ECONNRESET', answered: true })
})

test('bytes nobody asked for do not pass for the next answer', async (t) => {
  const server = await startScript(t, `${OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`, OK)
  const transport = to(server)
  t.after(() => transport.close?.())
  assert.equal(await get(transport), '200 ok')
  assert.equal(await get(transport), '200 ok')
  assert.equal(server.connections.count, 2)
})

test('what is not HTTP is an error, not an answer', async (t) => {
  for (const answer of [
    'SSH-2.0-OpenSSH_9\r\n\r\n',
    'HTTP/1.1 101 Switching\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(300_000)}`,
  ]) {
    const server = await startScript(t, answer)
    await assert.rejects(get(to(server)), { name: 'ConnectionError', code: 'EPROTO' })
  }
})

test('closing ends what is under way and refuses what comes', async (t) => {
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

test('a server that is not there, and a name that is not known', async (t) => {
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
