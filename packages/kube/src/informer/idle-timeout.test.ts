import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../testing/fake-clock.js'
import { IdleTimeout } from './idle-timeout.js'

const HOUR = 3_600_000

for (const [direction, step] of [
  ['back', -HOUR],
  ['forward', HOUR],
] as const) {
  test(`SilenceGuard: setting the clock ${direction} does not change the limit`, () => {
    const clock = new FakeClock()
    const timeout = new IdleTimeout(clock, 10_000, new AbortController().signal)
    clock.advance(5_000)
    timeout.reset(10_000)
    clock.adjust(step)
    clock.advance(9_999)
    assert.equal(timeout.fired, false)
    clock.advance(1)
    assert.equal(timeout.fired, true)
    assert.equal(timeout.signal.aborted, true)
  })
}
