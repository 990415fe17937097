import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse, Transport } from '../client/transport.js'
import { FakeClock } from '../testing/fake-clock.js'
import { rateLimited } from './rate-limited.js'
import { turn } from './server.fixture.js'

function start(qps: number, burst?: number) {
  const clock = new FakeClock()
  const begun: string[] = []
  const transport: Transport = {
    async request({ path }) {
      begun.push(path)
      return {} as HttpResponse
    },
  }
  const limited = rateLimited(transport, { qps, clock, ...(burst !== undefined && { burst }) })
  const send = (path: string, signal?: AbortSignal) =>
    limited.request({ method: 'GET', path, ...(signal !== undefined && { signal }) })
  return { clock, begun, limited, send }
}

test('rateLimited: sends a burst at once, and the rest at the rate and in order', async () => {
  const { clock, begun, send } = start(10, 3)
  const paths = ['/1', '/2', '/3', '/4', '/5', '/6']
  const all = Promise.all(paths.map((path) => send(path)))
  await turn()
  assert.deepEqual(begun, paths.slice(0, 3))
  clock.advance(99)
  await turn()
  assert.equal(begun.length, 3)
  clock.advance(1)
  await turn()
  assert.deepEqual(begun, paths.slice(0, 4))
  clock.advance(200)
  await all
  assert.deepEqual(begun, paths)
})

test('rateLimited: idle time fills up to one burst', async () => {
  const { clock, begun, send } = start(10, 2)
  clock.advance(3_600_000)
  const all = Promise.all([send('/1'), send('/2'), send('/3')])
  await turn()
  assert.equal(begun.length, 2)
  clock.advance(100)
  await all
})

test("rateLimited: an aborted request takes no other's turn", async () => {
  const { clock, begun, send } = start(10, 1)
  const giveUp = new AbortController()
  const first = send('/1')
  const second = send('/2', giveUp.signal)
  giveUp.abort()
  await assert.rejects(second, { name: 'AbortError' })
  const third = send('/3')
  clock.advance(100)
  await Promise.all([first, third])
  assert.deepEqual(begun, ['/1', '/3'])
  assert.equal(clock.waiting, 0)
})

test('rateLimited: closing ends the wait', async () => {
  const { limited, send } = start(1, 1)
  await send('/1')
  const waiting = send('/2')
  limited.close?.()
  await assert.rejects(waiting, { code: 'ECLOSED' })
})

test('rateLimited: rejects a rate of zero', () => {
  for (const limit of [{ qps: 0 }, { qps: Number.NaN }, { qps: 1, burst: 0 }]) {
    assert.throws(() => rateLimited({} as Transport, limit), RangeError)
  }
})

test('rateLimited: nothing waits longer if the clock is set back', async () => {
  const { clock, begun, send } = start(10, 2)
  await send('/1')
  clock.adjust(-3_600_000)
  await send('/2')
  assert.deepEqual(begun, ['/1', '/2'])
})
