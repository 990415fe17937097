import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { DEFAULT_RETRY, delayAfter } from '../retry.js'
import { type ApiClientOptions, apiClient } from './api-client.js'
import { startApi } from './server.fixture.js'

const signal = new AbortController().signal

/** Sends a request while the clock advances. */
async function send(options: ApiClientOptions, clock: FakeClock) {
  const sent = apiClient({ ...options, clock }).send({ method: 'GET', url: '/api/v1/clusters' }, signal)
  let isDone = false
  const settled = sent.then(
    (response) => response,
    (error: Error) => error,
  )
  void settled.then(() => {
    isDone = true
  })
  await eventually('the request ends', () => isDone, { meanwhile: () => clock.advance(1_000) })
  return settled
}

for (const status of [500, 503, 408, 429]) {
  test(`apiClient: retries ${status}`, async (t) => {
    const api = await startApi(t, (_, index) => (index < 2 ? { status } : { status: 200, body: { id: 'c1' } }))
    const clock = new FakeClock()
    const response = await send({ baseUrl: api.url }, clock)
    assert.equal('status' in response && response.status, 200)
    assert.equal(api.requests.length, 3)
    assert.ok(clock.elapsed() >= 2_700, 'delays of about one and two seconds')
  })
}

test('apiClient: returns the last response after all attempts', async (t) => {
  const api = await startApi(t, () => ({ status: 503, body: { code: 'HYPERFLEET-INT-001' } }))
  const response = await send({ baseUrl: api.url }, new FakeClock())
  assert.equal('status' in response && response.status, 503)
  assert.equal(api.requests.length, 3)
})

test('apiClient: does not retry other errors of a client', async (t) => {
  const api = await startApi(t, () => ({ status: 404 }))
  const response = await send({ baseUrl: api.url }, new FakeClock())
  assert.equal('status' in response && response.status, 404)
  assert.equal(api.requests.length, 1)
})

test('apiClient: retries a refused connection and reports its cause', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const error = await send({ baseUrl: `http://127.0.0.1:${port}` }, new FakeClock())
  assert.ok(error instanceof Error && 'code' in error)
  assert.equal(error.code, 'hyperfleet-adapter-14')
  assert.match(error.message, /^GET \/api\/v1\/clusters failed: .*ECONNREFUSED/)
})

test('apiClient: reads a rotated token after its cache time', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'token-'))
  t.after(() => rm(directory, { recursive: true }))
  const tokenFile = join(directory, 'token')
  const api = await startApi(t, () => ({ status: 200 }))
  const clock = new FakeClock()
  const client = apiClient({
    baseUrl: api.url,
    tokenFile,
    tokenTtlMilliseconds: 30_000,
    clock,
    headers: { 'x-team': 'a' },
  })
  for (const [token, advance] of [
    ['first', 0],
    ['second', 29_000],
    ['third', 2_000],
  ] as const) {
    await writeFile(tokenFile, `${token}\n`)
    clock.advance(advance)
    await client.send({ method: 'GET', url: '/' }, signal)
  }
  const tokens = api.requests.map(({ headers }) => headers.authorization)
  assert.deepEqual(tokens, ['Bearer first', 'Bearer first', 'Bearer third'])
  assert.equal(api.requests[0]?.headers['x-team'], 'a')
})

test('apiClient: sends credentials to the API only, whatever URL a request has', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'token-'))
  t.after(() => rm(directory, { recursive: true }))
  const tokenFile = join(directory, 'token')
  await writeFile(tokenFile, 's3cret')
  const [api, other] = [await startApi(t, () => ({ status: 200 })), await startApi(t, () => ({ status: 200 }))]
  const client = apiClient({ baseUrl: api.url, tokenFile, headers: { 'x-api-key': 'k' } })
  await client.send({ method: 'GET', url: `${api.url}/own` }, signal)
  await client.send({ method: 'GET', url: `${other.url}/other`, headers: { 'x-own': 'y' } }, signal)
  assert.equal(api.requests[0]?.headers.authorization, 'Bearer s3cret')
  const { headers = {} } = other.requests[0] ?? {}
  assert.deepEqual([headers.authorization, headers['x-api-key'], headers['x-own']], [undefined, undefined, 'y'])
})

test('delayAfter: grows as the backoff says, varies by a tenth and is limited', () => {
  const middle = () => 0.5
  const delays = (backoff: 'exponential' | 'linear' | 'constant') =>
    [1, 2, 3, 9].map((failures) => delayAfter(failures, { ...DEFAULT_RETRY, backoff }, middle))
  assert.deepEqual(delays('exponential'), [1_000, 2_000, 4_000, 30_000])
  assert.deepEqual(delays('linear'), [1_000, 2_000, 3_000, 9_000])
  assert.deepEqual(delays('constant'), [1_000, 1_000, 1_000, 1_000])
  assert.deepEqual([delayAfter(1, DEFAULT_RETRY, () => 0), delayAfter(1, DEFAULT_RETRY, () => 1)], [900, 1_100])
})
