import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '../clock.js'
import { FakeClock } from '../testing/fakeclock.js'
import { SilenceGuard } from './silenceguard.js'

const HOUR = 3_600_000

test('a clock that is set back does not make a dead connection live longer than its limit once more', () => {
  const timers = new FakeClock()
  let offset = 0
  const clock: Clock = {
    now: () => new Date(timers.now().getTime() + offset),
    after: (milliseconds, callback) => timers.after(milliseconds, callback),
  }
  const guard = new SilenceGuard(clock, 10_000, new AbortController().signal)
  guard.heard(10_000)
  offset = -HOUR
  timers.advance(10_000)
  assert.equal(guard.fired, false)
  timers.advance(10_000)
  assert.equal(guard.fired, true)
  assert.equal(guard.signal.aborted, true)
})
