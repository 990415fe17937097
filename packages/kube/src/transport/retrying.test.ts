import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'
import { FakeClock } from '../testing/fake-clock.js'
import { ConnectionError } from './connection-error.js'
import { type RetryPolicy, retrying } from './retrying.js'
import { turn } from './server.fixture.js'

type Answer = Error | { readonly status: number; readonly retryAfter?: string }

const refused = new ConnectionError('refused', { code: 'ECONNREFUSED', sent: false })
const reset = new ConnectionError('reset', { code: 'ECONNRESET', sent: true })
const busy = { status: 429, retryAfter: '1' }
const ok = { status: 200 }

function answer({ status, retryAfter }: Exclude<Answer, Error>): HttpResponse {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return {
    status,
    headers,
    bytes: async () => Buffer.alloc(0),
    body: (async function* nothing() {
      yield Buffer.alloc(0)
    })(),
  }
}

/** Sends one request to a server with these responses, and advances the clock while it waits. */
async function send(method: string, answers: readonly Answer[], policy: RetryPolicy = {}) {
  const clock = new FakeClock()
  const started = clock.now().getTime()
  let tries = 0
  const pauses: number[] = []
  const transport: Transport = {
    async request() {
      const next = answers[tries++] ?? answers.at(-1) ?? ok
      if (next instanceof Error) throw next
      return answer(next)
    },
  }
  const request: HttpRequest = { method, path: '/' }
  let isDone = false
  const result = retrying(transport, { clock, random: () => 1, ...policy })
    .request(request)
    .then(
      ({ status }) => status,
      (error: ConnectionError) => error.code,
    )
    .finally(() => {
      isDone = true
    })
  while (!isDone) {
    for (let i = 0; i < 3; i++) await turn()
    if (clock.waiting === 0) continue
    const before = clock.now().getTime()
    while (clock.waiting > 0) clock.advance(1)
    pauses.push(clock.now().getTime() - before)
  }
  return { result: await result, tries, pauses, took: clock.now().getTime() - started }
}

test('retrying: honours Retry-After for any request', async () => {
  for (const method of ['GET', 'POST', 'PATCH']) {
    const { result, pauses } = await send(method, [busy, { status: 429, retryAfter: '3' }, ok])
    assert.deepEqual([result, pauses], [200, [1_000, 3_000]])
  }
  assert.equal((await send('POST', [{ status: 503, retryAfter: '0' }, ok])).result, 200)
})

test('retrying: retries at most ten times', async () => {
  const { result, tries } = await send('GET', [busy])
  assert.deepEqual([result, tries], [429, 11])
  assert.equal((await send('GET', [busy], { busyRetries: 2 })).tries, 3)
})

test('retrying: does not retry an error without Retry-After', async () => {
  for (const status of [400, 404, 409, 429, 500, 503]) {
    assert.deepEqual((await send('GET', [{ status }, ok])).result, status)
  }
  assert.equal((await send('GET', [{ status: 429, retryAfter: '3600' }, ok])).result, 429)
})

test('retrying: repeats a request that may have been processed only if it is idempotent', async () => {
  const failed = { status: 500, retryAfter: '1' }
  for (const method of ['GET', 'PUT', 'DELETE']) assert.equal((await send(method, [failed, ok])).result, 200, method)
  for (const method of ['POST', 'PATCH']) assert.equal((await send(method, [failed, ok])).result, 500, method)
})

test('retrying: retries an unreachable server with backoff', async () => {
  const { result, tries, pauses } = await send('GET', [refused])
  assert.deepEqual([result, tries, pauses], ['ECONNREFUSED', 5, [100, 200, 400, 800]])
  const capped = await send('GET', [refused], { maxBackoffMs: 250 })
  assert.deepEqual(capped.pauses, [100, 200, 250, 250])
  const lucky = await send('GET', [refused], { random: () => 0.5 })
  assert.deepEqual(lucky.pauses, [50, 100, 200, 400])
})

test('retrying: retries writes only if they cannot have arrived', async () => {
  assert.equal((await send('POST', [refused, ok])).result, 200)
  assert.equal((await send('POST', [reset, ok])).result, 'ECONNRESET')
  assert.equal((await send('DELETE', [reset, ok])).result, 'ECONNRESET')
  assert.equal((await send('GET', [reset, ok])).result, 200)
})

test('retrying: other errors are final', async () => {
  const untrusted = new ConnectionError('untrusted', { code: 'SELF_SIGNED_CERT_IN_CHAIN', sent: false })
  const half = new ConnectionError('half', { code: 'ECONNRESET', sent: true, answered: true })
  const slow = new ConnectionError('slow', { code: 'ETIMEDOUT', sent: true })
  for (const error of [untrusted, half, slow]) assert.equal((await send('GET', [error, ok])).tries, 1)
})

test('retrying: an abort or close ends the wait', async () => {
  const clock = new FakeClock()
  const failing: Transport = { request: () => Promise.reject(refused) }
  const transport = retrying(failing, { clock })
  const giveUp = new AbortController()
  const first = transport.request({ method: 'GET', path: '/', signal: giveUp.signal })
  await turn()
  giveUp.abort()
  await assert.rejects(first, { name: 'AbortError' })
  const second = transport.request({ method: 'GET', path: '/' })
  await turn()
  transport.close?.()
  await assert.rejects(second, { code: 'ECONNREFUSED' })
  assert.equal(clock.waiting, 0)
})
