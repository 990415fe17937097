import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { Client, ConnectionLost } from '../support/client.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import { type ServerProcess, startServer } from '../support/server.js'
import { http1Streams, http2Streams } from '../support/streams.js'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
/** The limit of a graceful stop on a busy machine. A server that waits for its clients would not end at all. */
const TIMEOUT_MS = 20_000

function clientOf(t: TestContext, server: ServerProcess): Client {
  const client = new Client(server)
  t.after(() => client.close())
  return client
}

/** Stops a server and checks that it ended by itself, in time, without errors. */
async function stopInTime(server: ServerProcess, signal: NodeJS.Signals): Promise<void> {
  const start = performance.now()
  await server.stop(signal)
  const took = performance.now() - start
  assert.equal(server.process.exitCode, 0)
  assert.ok(took < TIMEOUT_MS, `it took ${Math.round(took)} ms to end`)
  assert.doesNotMatch(server.log(), /"level":"(warn|error)"/)
}

/** A create request whose body is sent in part: in flight until the rest is sent. */
function halfSentCreate(server: ServerProcess, name: string) {
  const body = Buffer.from(JSON.stringify({ metadata: { name } }))
  const { credentials } = server
  const outgoing = request(new URL(CONFIG_MAPS, server.url), {
    method: 'POST',
    ...credentials,
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  })
  outgoing.write(body.subarray(0, 5))
  const answered = once(outgoing, 'response').then(([response]) => {
    response.resume()
    return response.statusCode as number
  })
  const sent = once(outgoing, 'socket').then(([socket]) => (socket.connecting ? once(socket, 'secureConnect') : []))
  return { sent, answered, finish: () => outgoing.end(body.subarray(5)) }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`stop: ${signal} finishes running requests and ends watches`, async (t) => {
    const server = await startServer(t)
    const client = clientOf(t, server)
    const { revision } = await client.list(CONFIG_MAPS)
    const watches = [http1Streams(server), http2Streams(server, 1)].flatMap((streams) => {
      t.after(() => streams.close())
      return Array.from({ length: 5 }, () => {
        const watch = new ResumingWatch(CONFIG_MAPS, revision)
        watch.connect(streams)
        return watch
      })
    })
    await client.ok('POST', CONFIG_MAPS, { metadata: { name: 'seen' } })
    await eventually('all watches run', () => watches.every((watch) => watch.events.length === 1))
    for (const watch of watches) watch.connect(undefined)

    const create = halfSentCreate(server, 'held')
    await create.sent
    const stopped = stopInTime(server, signal)
    await eventually('the server is stopping', () => server.log().includes('stopping'))
    create.finish()
    assert.equal(await create.answered, 201)
    await stopped
    for (const watch of watches) assert.deepEqual([watch.cleanEnds, watch.cuts], [1, 0])

    const again = await startServer(t, { dataDirectory: server.dataDirectory })
    await clientOf(t, again).ok('GET', `${CONFIG_MAPS}/held`)
  })
}

test('stop: keeps all acknowledged writes under load', async (t) => {
  const server = await startServer(t)
  const client = clientOf(t, server)
  const acknowledged: string[] = []
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let index = 0; ; index++) {
      try {
        await client.ok('POST', CONFIG_MAPS, { metadata: { name: `w${writer}-${index}` } })
      } catch (error) {
        if (error instanceof ConnectionLost) return
        throw error
      }
      acknowledged.push(`w${writer}-${index}`)
    }
  })
  await eventually('writes run', () => acknowledged.length > 50)
  await stopInTime(server, 'SIGTERM')
  await Promise.all(writers)
  const again = await startServer(t, { dataDirectory: server.dataDirectory })
  const { items } = await clientOf(t, again).list(CONFIG_MAPS)
  const names = new Set(items.map((item) => item.metadata.name))
  assert.deepEqual(
    acknowledged.filter((name) => !names.has(name)),
    [],
  )
})

test('stop: idle and incomplete connections do not delay it', async (t) => {
  const server = await startServer(t)
  const port = Number(new URL(server.url).port)
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  const create = halfSentCreate(server, 'never')
  create.answered.catch(() => undefined)
  await create.sent
  await stopInTime(server, 'SIGTERM')
  silent.destroy()
})
