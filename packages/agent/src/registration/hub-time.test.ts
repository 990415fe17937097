import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import { FakeClock } from '@orrery/kube/testing'
import { HubTime } from './hub-time.js'

const DAY = 86_400_000

/** A hub whose clock is ahead by some milliseconds. `onRequest` is called before it answers. */
function hubAhead(clock: FakeClock, gap: () => number, onRequest: () => void = () => undefined): Transport {
  return {
    async request() {
      const date = new Date(clock.now().getTime() + gap()).toUTCString()
      onRequest()
      return { headers: { date } } as unknown as HttpResponse
    },
  }
}

const request = {} as HttpRequest

test('HubTime: knows the time of the hub from the responses', async () => {
  const clock = new FakeClock()
  const time = new HubTime(clock)
  await time.heardOver(hubAhead(clock, () => DAY)).request(request)
  assert.equal(time.at(clock.now()).getTime() - clock.now().getTime(), DAY)
  assert.match(time.problem ?? '', /is 24h behind the hub's/)
})

test('HubTime: ignores a response from before the local clock was set', async () => {
  const clock = new FakeClock()
  const time = new HubTime(clock)
  await time
    .heardOver(
      hubAhead(
        clock,
        () => 0,
        () => clock.adjust(-400 * DAY),
      ),
    )
    .request(request)
  assert.equal(time.problem, undefined)
  assert.equal(time.at(clock.now()).getTime(), clock.now().getTime())
})
