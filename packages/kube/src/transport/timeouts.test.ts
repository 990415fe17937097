import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../testing/fake-clock.js'
import type { BodyQueue } from './body-queue.js'
import { get, startHttp, startScript, startTcp, to, until } from './server.fixture.js'

test('connect: gives up if a response does not start', async (t) => {
  const clock = new FakeClock()
  let received = 0
  const server = await startTcp(t, (socket) => socket.on('data', () => received++))
  const asking = get(to(server, { clock, answerTimeout: 5_000 }))
  await until(() => received > 0)
  clock.advance(5_000)
  await assert.rejects(asking, { code: 'ETIMEDOUT', message: 'GET /: no response for 5 s' })
})

test('connect: gives up if an awaited response stops', async (t) => {
  const clock = new FakeClock()
  const server = await startScript(t, 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')
  const transport = to(server, { clock, answerTimeout: 5_000 })
  const response = await transport.request({ method: 'GET', path: '/' })
  const all = response.bytes()
  clock.advance(5_000)
  await assert.rejects(all, { code: 'ETIMEDOUT', message: 'GET /: the response stopped for 5 s' })
})

test('connect: a watch with bookmarks but no data is dead; any other may be idle', async (t) => {
  const clock = new FakeClock()
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n'
  const server = await startTcp(t, (socket) => socket.on('data', () => socket.write(head)))
  const transport = to(server, { clock, watchSilence: 150_000 })
  t.after(() => transport.close?.())
  const open = async (path: string) => {
    const { body } = await transport.request({ method: 'GET', path })
    const pieces = body[Symbol.asyncIterator]()
    await pieces.next()
    return pieces
  }
  const bookmarked = await open('/api/v1/pods?watch=true&allowWatchBookmarks=true')
  const [socket] = server.connections.open
  const quiet = await open('/api/v1/pods?watch=true')
  let isQuiet = true
  const stirred = () => {
    isQuiet = false
  }
  void quiet.next().then(stirred, stirred)
  // Every byte restarts the limit.
  for (let i = 0; i < 3; i++) {
    clock.advance(100_000)
    const next = bookmarked.next()
    socket?.write('1\r\nb\r\n')
    assert.equal(String((await next).value), 'b')
  }
  const next = bookmarked.next()
  clock.advance(149_999)
  clock.advance(1)
  await assert.rejects(next, { code: 'ETIMEDOUT' })
  assert.equal(isQuiet, true)
})

test('connect: a watch with a slow reader is not dead', async (t) => {
  const clock = new FakeClock()
  const piece = 'x'.repeat(0x40000)
  const server = await startHttp(t, (_, response) => {
    for (let i = 0; i < 20; i++) response.write(piece)
  })
  const transport = to(server, { clock, watchSilence: 1_000 })
  t.after(() => transport.close?.())
  const { body } = await transport.request({ method: 'GET', path: '/?watch=true&allowWatchBookmarks=true' })
  await until(() => (body as BodyQueue).paused)
  clock.advance(10_000)
  let read = 0
  for await (const some of body) {
    read += some.length
    if (read === 20 * piece.length) break
  }
})

test('connect: closes idle connections', async (t) => {
  const clock = new FakeClock()
  const server = await startHttp(t, (_, response) => response.end('ok'))
  const transport = to(server, { clock, idleTimeout: 60_000, maxIdle: 2 })
  t.after(() => transport.close?.())
  await Promise.all(Array.from({ length: 5 }, () => get(transport)))
  await until(() => server.connections.open.size === 2)
  clock.advance(59_000)
  await get(transport)
  clock.advance(1_000)
  await until(() => server.connections.open.size === 1)
  clock.advance(59_000)
  await until(() => server.connections.open.size === 0)
})

test('connect: uses a connection only for as long as the server keeps it', async (t) => {
  const clock = new FakeClock()
  const server = await startHttp(t, (_, response) => {
    response.setHeader('keep-alive', 'timeout=5')
    response.end('ok')
  })
  const transport = to(server, { clock })
  t.after(() => transport.close?.())
  await get(transport)
  clock.advance(3_900)
  await get(transport)
  assert.equal(server.connections.count, 1)
  clock.advance(4_000)
  await get(transport)
  assert.equal(server.connections.count, 2)
})
