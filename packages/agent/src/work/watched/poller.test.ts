import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '@orrery/kube/testing'
import { Poller } from './poller.js'

function start(answers: readonly boolean[], onPoll: (poller: Poller, count: number) => void = () => undefined) {
  const clock = new FakeClock()
  const times: number[] = []
  const began = clock.now().getTime()
  const poller = new Poller({
    clock,
    firstMilliseconds: 10,
    everyMilliseconds: 100,
    poll: async () => {
      times.push(clock.now().getTime() - began)
      onPoll(poller, times.length)
      return answers[times.length - 1] ?? false
    },
  })
  const pass = async (steps: number) => {
    for (let step = 0; step < steps; step++) {
      clock.advance(10)
      await turn()
    }
  }
  return { poller, times, pass }
}

test('Poller: polls soon, then at intervals, until nothing is left to poll', async () => {
  const { poller, times, pass } = start([true, true, false])
  await pass(5)
  assert.deepEqual(times, [])
  poller.wake()
  poller.wake()
  await pass(50)
  assert.deepEqual(times, [60, 160, 260])
  poller.wake()
  await pass(20)
  assert.deepEqual(times, [60, 160, 260, 560])
})

test('Poller: polls again for what is added during a poll', async () => {
  const { poller, times, pass } = start([false, false], (poller, count) => {
    if (count === 1) poller.wake()
  })
  poller.wake()
  await pass(20)
  assert.deepEqual(times, [10, 20])
})

test('Poller: stops when it is closed, even during a poll', async () => {
  const { poller, times, pass } = start([true, true], (poller) => poller.close())
  poller.wake()
  await pass(30)
  poller.wake()
  await pass(30)
  assert.deepEqual(times, [10])
})
