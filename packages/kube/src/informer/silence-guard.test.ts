import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../testing/fake-clock.js'
import { SilenceGuard } from './silence-guard.js'

const HOUR = 3_600_000

for (const [direction, step] of [
  ['back', -HOUR],
  ['forward', HOUR],
] as const) {
  test(`a clock that is set ${direction} changes nothing about how long a connection may be silent`, () => {
    const clock = new FakeClock()
    const guard = new SilenceGuard(clock, 10_000, new AbortController().signal)
    clock.advance(5_000)
    guard.heard(10_000)
    clock.adjust(step)
    clock.advance(9_999)
    assert.equal(guard.fired, false)
    clock.advance(1)
    assert.equal(guard.fired, true)
    assert.equal(guard.signal.aborted, true)
  })
}
