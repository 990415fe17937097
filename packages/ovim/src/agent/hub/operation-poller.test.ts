import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import type { WireOperation } from '../../wire/index.js'
import { HubError } from './hub-error.js'
import { OperationPoller } from './operation-poller.js'
import { DEFAULT_RETRY } from './retry.js'

const OPERATION: WireOperation = { id: 'op-1', type: 'VMStart', payload: {}, timestamp: '' }

type Poll = (waitSeconds: number, signal: AbortSignal) => Promise<WireOperation[]>

async function polling(t: TestContext, pollOperations: Poll, isReady = () => true) {
  const clock = new FakeClock()
  const received: string[] = []
  let failures = 0
  const poller = new OperationPoller({
    hub: { pollOperations, breakerOf: () => ({ state: 'closed', waitMs: 0 }) },
    clock,
    log: silentLogger,
    retry: () => DEFAULT_RETRY,
    waitMs: () => 90_000,
    pollIntervalMs: () => 5_000,
    isReady,
    onOperation: ({ id }) => received.push(id),
    onFailure: () => failures++,
    random: () => 0.5,
  })
  await poller.start()
  t.after(() => poller.stop())
  return { poller, clock, received, failures: () => failures }
}

test('operation poller: passes operations on and polls again at once, with the longest wait that hubs allow', async (t) => {
  const waits: number[] = []
  const { received } = await polling(t, async (wait, signal) => {
    waits.push(wait)
    if (waits.length < 3) return [{ ...OPERATION, id: `op-${waits.length}` }]
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await eventually('the third poll', () => waits.length === 3)
  assert.deepEqual(received, ['op-1', 'op-2'])
  assert.deepEqual(waits, [60, 60, 60])
})

test('operation poller: polls every five seconds if the hub replies at once that there is nothing', async (t) => {
  let polls = 0
  const { clock } = await polling(t, async () => {
    polls++
    return []
  })
  await eventually('the pause', () => clock.waiting === 1)
  clock.advance(4_999)
  assert.equal(polls, 1)
  clock.advance(1)
  await eventually('the second poll', () => polls === 2)
})

test('operation poller: a failure is reported and repeated with a growing delay', async (t) => {
  let polls = 0
  const { clock, poller, failures } = await polling(t, async () => {
    polls++
    if (polls <= 2) throw new HubError('unreachable', 'the hub is away')
    return polls === 3 ? [OPERATION] : []
  })
  await eventually('the pause', () => clock.waiting === 1)
  assert.match(poller.health().message ?? '', /operations cannot be fetched: the hub is away/)
  clock.advance(1_000)
  await eventually('the second poll', () => polls === 2 && clock.waiting === 1)
  clock.advance(1_999)
  assert.equal(polls, 2)
  clock.advance(1)
  await eventually('it works again', () => poller.health().status === 'healthy')
  assert.equal(failures(), 2)
})

test('operation poller: takes nothing while the agent is not ready', async (t) => {
  let isReady = false
  let polls = 0
  const { clock } = await polling(
    t,
    async () => {
      polls++
      return []
    },
    () => isReady,
  )
  await eventually('the pause', () => clock.waiting === 1)
  clock.advance(10_000)
  assert.equal(polls, 0)
  isReady = true
  await eventually('a poll', () => polls === 1, { meanwhile: () => clock.advance(250) })
})
