import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, FakeClock } from '@orrery/kube/testing'
import type { OperationResult } from '../../wire/index.js'
import { clientOf, ScriptedHub } from './hub.fixture.js'
import type { HubError } from './hub-error.js'
import { DEFAULT_RETRY, isRetried, retryDelay } from './retry.js'

const RESULT: OperationResult = { operation_id: 'op/1', status: 'completed', timestamp: '2030-01-01T00:00:00Z' }
const signal = new AbortController().signal

async function pausing(clock: FakeClock, milliseconds: number): Promise<void> {
  // The scripted hub replies at once: after this turn the only timer is the one of the pause.
  await new Promise((resolve) => setImmediate(resolve))
  await eventually('a pause', () => clock.waiting === 1)
  clock.advance(milliseconds)
}

test('hub client: sends its identity, and the path of a result has the escaped id', async () => {
  const hub = new ScriptedHub()
  await clientOf(hub, new FakeClock()).sendResult(RESULT, signal)
  const [request] = hub.requests
  assert.equal(request?.path, '/api/v1/spoke/operations/op%2F1/result')
  assert.equal(request?.headers?.['x-agent-id'], 'agent-1')
  assert.equal(request?.headers?.['x-cluster-id'], 'cluster-01')
  assert.equal(request?.headers?.['x-zone-id'], 'zone-1')
  assert.equal(request?.headers?.['x-agent-version'], '1.0.0')
})

test('hub client: repeats 429, 500, 502, 503 and 504 with the whole body', async () => {
  for (const status of [429, 500, 502, 503, 504]) {
    const hub = new ScriptedHub()
    const clock = new FakeClock()
    hub.reply = (_, count) => (count === 1 ? { status } : { body: { status: 'received' } })
    const sent = clientOf(hub, clock).sendResult(RESULT, signal)
    await pausing(clock, 1_000)
    await sent
    assert.deepEqual(
      hub.requests.map(({ body }) => JSON.parse(String(body))),
      [RESULT, RESULT],
    )
  }
  assert.deepEqual([400, 401, 403, 404, 409, 501].filter(isRetried), [])
})

test('hub client: gives up after five repetitions with delays of 1, 2, 4, 8 and 16 s', async () => {
  const hub = new ScriptedHub()
  const clock = new FakeClock()
  hub.reply = () => ({ status: 429 })
  const failed = assert.rejects(
    clientOf(hub, clock).sendResult(RESULT, signal),
    (error: HubError) => error.failure === 'unavailable' && error.status === 429,
  )
  for (const delay of [1_000, 2_000, 4_000, 8_000, 16_000]) await pausing(clock, delay)
  await failed
  assert.equal(hub.requests.length, 6)
})

test('hub client: waits as long as Retry-After asks', async () => {
  const hub = new ScriptedHub()
  const clock = new FakeClock()
  hub.reply = (_, count) => (count === 1 ? { status: 503, headers: { 'retry-after': '20' } } : { body: {} })
  const sent = clientOf(hub, clock).sendResult(RESULT, signal)
  await pausing(clock, 19_999)
  assert.equal(hub.requests.length, 1)
  clock.advance(1)
  await sent
  assert.equal(hub.requests.length, 2)
})

test('hub client: does not repeat what the hub rejects, and shows its message', async () => {
  const hub = new ScriptedHub()
  hub.reply = () => ({ status: 400, body: { error: 'Missing operation ID' } })
  const client = clientOf(hub, new FakeClock())
  await assert.rejects(client.sendResult(RESULT, signal), (error: HubError) => {
    assert.equal(error.failure, 'rejected')
    assert.equal(error.isTransient, false)
    assert.match(error.message, /with 400: Missing operation ID/)
    return true
  })
  hub.reply = () => ({ status: 403, body: { detail: 'not your zone' } })
  await assert.rejects(client.sendResult(RESULT, signal), (error: HubError) => error.failure === 'denied')
  assert.equal(hub.requests.length, 2)
})

test('hub client: a hub that does not reply within the timeout is unreachable', async () => {
  const hub = new ScriptedHub()
  const clock = new FakeClock()
  hub.reply = () => 'never'
  const failed = assert.rejects(
    clientOf(hub, clock).pollOperations(30, signal),
    (error: HubError) => error.failure === 'unreachable',
  )
  await eventually('the request', () => hub.requests.length === 1)
  clock.advance(59_999)
  assert.equal(clock.waiting, 1)
  clock.advance(1)
  await failed
  assert.equal(hub.requests[0]?.path, '/api/v1/spoke/operations?agent_id=agent-1&wait=30')
})

test('hub client: five failures open the circuit of one endpoint only', async () => {
  const hub = new ScriptedHub()
  const clock = new FakeClock()
  hub.reply = () => new Error('connection refused')
  const client = clientOf(hub, clock)
  for (let i = 0; i < 5; i++) await assert.rejects(client.pollOperations(0, signal))
  await assert.rejects(client.pollOperations(0, signal), (error: HubError) => {
    assert.match(error.message, /the next attempt is in 30 s/)
    return error.failure === 'circuit-open' && error.isTransient
  })
  assert.equal(hub.requests.length, 5)
  assert.equal(client.breakerOf('operations').state, 'open')
  hub.reply = () => ({ status: 204 })
  await client.sendResult(RESULT, signal)
  clock.advance(30_000)
  assert.deepEqual(await client.pollOperations(0, signal), [])
  assert.equal(client.breakerOf('operations').state, 'closed')
})

test('hub client: reads operations, and none of an empty reply', async () => {
  const hub = new ScriptedHub()
  const client = clientOf(hub, new FakeClock())
  hub.reply = () => ({ status: 204 })
  assert.deepEqual(await client.pollOperations(0, signal), [])
  hub.reply = () => ({ body: [{ id: 'a', type: 'create_vm', payload: null, timestamp: '2030-01-01T00:00:00Z' }] })
  const [operation] = await client.pollOperations(0, signal)
  assert.deepEqual(operation, { id: 'a', type: 'create_vm', payload: {}, timestamp: '2030-01-01T00:00:00Z' })
})

test('retry: delays double from 1 s to 60 s and vary by 10 %', () => {
  const delays = [1, 2, 3, 7, 20].map((failures) => retryDelay(failures, DEFAULT_RETRY, () => 0.5))
  assert.deepEqual(delays, [1_000, 2_000, 4_000, 60_000, 60_000])
  assert.equal(Math.round(retryDelay(1, DEFAULT_RETRY, () => 0)), 900)
  assert.equal(Math.round(retryDelay(1, DEFAULT_RETRY, () => 1)), 1_100)
})
