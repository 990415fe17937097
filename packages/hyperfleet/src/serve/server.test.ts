import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { EVENT, startAdapter } from '../run/adapter.fixture.js'
import { KeyedQueue, QueueFull } from './event-queue.js'
import { startAdapterServer } from './server.js'

async function startServer(t: TestContext, options: { readonly maxEvents?: number } = {}) {
  const adapter = await startAdapter(t)
  const server = await startAdapterServer({
    ...adapter.context,
    host: '127.0.0.1',
    port: 0,
    metricsPort: 0,
    ...options,
  })
  const url = `http://127.0.0.1:${server.port}`
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/events`, { method: 'POST', body, headers })
  const metrics = async () => (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text()
  return { ...adapter, server, url, post, metrics }
}

const BODY = JSON.stringify({ specversion: '1.0', ...EVENT })

test('startAdapterServer: handles events, answers probes and counts', async (t) => {
  const { server, url, post, metrics, maestro } = await startServer(t)
  const reply = await post(BODY, { 'content-type': 'application/cloudevents+json' })
  assert.deepEqual([reply.status, await reply.json()], [200, { status: 'success', errors: {} }])
  assert.equal(maestro.works.size, 1)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  assert.equal((await fetch(`${url}/other`)).status, 404)
  assert.equal((await fetch(`${url}/events`)).status, 405)
  const text = await metrics()
  assert.match(text, /^hyperfleet_adapter_events_processed_total\{status="success"\} 1$/m)
  assert.match(text, /^hyperfleet_adapter_event_processing_duration_seconds_bucket\{le="120"\} 1$/m)
  assert.match(text, /^hyperfleet_adapter_build_info\{component="controlplane",version="1.0"\} 1$/m)
  await server.close()
  await assert.rejects(fetch(`${url}/healthz`))
})

test('startAdapterServer: takes events in binary mode', async (t) => {
  const { server, post, maestro } = await startServer(t)
  const headers = { 'ce-specversion': '1.0', 'ce-id': 'e1', 'ce-type': EVENT.type, 'ce-source': EVENT.source }
  assert.equal((await post(JSON.stringify(EVENT.data), headers)).status, 200)
  assert.equal(maestro.works.size, 1)
  await server.close()
})

test('startAdapterServer: rejects what is not an event, and takes a failed one', async (t) => {
  const { server, post, metrics } = await startServer(t)
  const invalid = await post('{}')
  assert.deepEqual([invalid.status, ((await invalid.json()) as { code: string }).code], [400, 'hyperfleet-adapter-15'])
  assert.equal((await post('x'.repeat(2 ** 20 + 1))).status, 400)
  const failed = await post(JSON.stringify({ specversion: '1.0', ...EVENT, data: {} }))
  assert.equal(failed.status, 200)
  assert.equal(((await failed.json()) as { status: string }).status, 'failed')
  assert.match(await metrics(), /^hyperfleet_adapter_errors_total\{error_type="param_extraction"\} 1$/m)
  await server.close()
})

test('startAdapterServer: refuses events while too many wait', async (t) => {
  const { server, post } = await startServer(t, { maxEvents: 0 })
  const refused = await post(BODY)
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  assert.deepEqual(await refused.json(), { message: 'too many events wait: send it again later' })
  await server.close()
})

test('KeyedQueue: takes another task when one has ended', async () => {
  const queue = new KeyedQueue(2)
  const endings: ((error?: Error) => void)[] = []
  const endless = () =>
    new Promise<void>((resolve, reject) => endings.push((error) => (error === undefined ? resolve() : reject(error))))
  const [first, second] = [queue.run('a', endless), queue.run('c', endless)]
  await assert.rejects(
    queue.run('b', async () => undefined),
    QueueFull,
  )
  endings[0]?.(new Error('failed'))
  await assert.rejects(first, /failed/)
  assert.equal(await queue.run('b', async () => 'done'), 'done')
  endings[1]?.()
  await second
})

test('KeyedQueue: runs tasks of one key in order, and of others at once', async () => {
  const queue = new KeyedQueue(10)
  const seen: string[] = []
  let release: () => void = () => assert.fail('not waiting')
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = queue.run('a', async () => {
    await gate
    seen.push('a1')
    throw new Error('a1 failed')
  })
  const second = queue.run('a', async () => seen.push('a2'))
  await queue.run('b', async () => seen.push('b1'))
  assert.deepEqual(seen, ['b1'])
  release()
  await assert.rejects(first, /a1 failed/)
  await second
  await queue.whenIdle()
  assert.deepEqual(seen, ['b1', 'a1', 'a2'])
})
