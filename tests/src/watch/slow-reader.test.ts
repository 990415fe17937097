import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { request } from 'node:https'
import type { Readable } from 'node:stream'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@orrery/kube/testing'
import { createWebSocketStream, WebSocket } from 'ws'
import { Client } from '../support/client.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import { type ServerProcess, startServer } from '../support/server.js'
import { http1Streams, http2Streams } from '../support/streams.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const WATCH = `${COLLECTION}?watch=true&resourceVersion=`
const PAYLOAD = 'x'.repeat(100_000)
/** More than the buffers of the system hold. */
const WRITES = 150
const LATE_MS = 4000
const HEALTHY = 6
/** The server cuts off a watcher that does not read after 10 s: if others waited for it, they would wait for longer. */
const MAX_DELAY_MS = 5000

/** Watches that are opened and not read: one with its own connection, one on a shared connection, a WebSocket. */
async function openUnread(t: TestContext, server: ServerProcess, since: number): Promise<Readable[]> {
  const { ca, cert, key } = server.credentials
  const outgoing = request(new URL(`${WATCH}${since}`, server.url), { ca, cert, key, agent: false }).end()
  outgoing.on('error', () => undefined)
  const [response] = (await once(outgoing, 'response')) as [Readable]
  const session = connect(server.url, { ca, cert, key })
  const stream = session.request({ ':path': `${WATCH}${since}` })
  await once(stream, 'response')
  const webSocket = new WebSocket(`${server.url.replace('https', 'wss')}${WATCH}${since}`, { ca, cert, key })
  const messages = createWebSocketStream(webSocket)
  await once(webSocket, 'open')
  t.after(() => outgoing.destroy())
  t.after(() => webSocket.terminate())
  t.after(() => session.destroy())
  const opened = [response, stream, messages]
  for (const one of opened) one.on('error', () => undefined)
  return opened
}

function memoryOf(server: ServerProcess): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

/** Starts to read late, but before the watch counts as stalled. */
async function readLate(stream: Readable, count: number): Promise<string[]> {
  await delay(LATE_MS)
  const lines: string[] = []
  let rest: string[] = []
  // The others are timed in this process: data that was read is not used again.
  for await (const chunk of stream.setEncoding('utf8')) {
    const [first = '', ...others] = (chunk as string).split('\n')
    rest.push(first)
    for (const other of others) {
      lines.push(rest.join(''))
      rest = [other]
    }
    if (lines.length >= count) break
  }
  return lines.slice(0, count)
}

test('watch: watchers that stop reading do not affect others; they catch up, or are cut off', async (t) => {
  const server = await startServer(t)
  const client = new Client(server)
  t.after(() => client.close())
  const { revision } = await client.list(COLLECTION)
  await client.ok('POST', COLLECTION, { metadata: { name: 'busy' } })
  const late = (await openUnread(t, server, revision)).map((stream) => readLate(stream, WRITES + 1))
  const lost = await openUnread(t, server, revision)
  const healthy = Array.from({ length: HEALTHY }, () => new ResumingWatch(COLLECTION, revision))
  for (const [index, watch] of healthy.entries()) {
    const streams = index % 2 === 0 ? http1Streams(server) : http2Streams(server, 1)
    watch.connect(streams)
    t.after(() => streams.close())
    t.after(() => watch.stop())
  }
  const before = memoryOf(server)
  const acknowledged: number[] = []
  for (let index = 0; index < WRITES; index++) {
    await client.ok('PUT', `${COLLECTION}/busy`, { metadata: { name: 'busy' }, data: { index: `${index}`, PAYLOAD } })
    acknowledged.push(performance.now())
  }
  await eventually('the others have seen all', () => healthy.every(({ events }) => events.length === WRITES + 1))
  const growth = memoryOf(server) - before
  const delays = healthy
    .flatMap(({ events }) => events.slice(1).map(({ time }, at) => time - (acknowledged[at] as number)))
    .sort((a, b) => a - b)
  const p99 = delays[Math.floor(delays.length * 0.99)] as number
  t.diagnostic(`p99 delay of the others ${p99.toFixed(1)} ms; the server grew by ${growth} MiB`)
  assert.ok(p99 < MAX_DELAY_MS, `p99 of the others is ${p99} ms`)
  assert.ok(growth < 150, `the server grew by ${growth} MiB over ${(WRITES * PAYLOAD.length) / 1e6} MB of events`)

  for (const lines of late) {
    const indexes = (await lines).map((line) => JSON.parse(line).object.data?.index)
    assert.deepEqual(
      indexes.slice(1),
      Array.from({ length: WRITES }, (_, index) => `${index}`),
    )
  }
  await eventually('the rest is cut off', async () =>
    (await metrics(client)).includes(`apiserver_registered_watchers ${HEALTHY}\n`),
  )
  for (const watch of healthy) assert.deepEqual([watch.cleanEnds, watch.cuts], [0, 0])
  for (const one of lost) one.destroy()
})

async function metrics(client: Client): Promise<string> {
  return String((await client.send('GET', '/metrics')).object.message)
}
