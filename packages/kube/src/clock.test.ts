import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.js'

const DAY = 86_400_000

test('systemClock: waits in steps for a time beyond the limit of timers', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let calls = 0
  systemClock.after(60 * DAY, () => calls++)
  for (let day = 0; day < 59; day++) t.mock.timers.tick(DAY)
  assert.equal(calls, 0)
  // Each step is late by less than a day.
  for (let day = 59; day < 63; day++) t.mock.timers.tick(DAY)
  assert.equal(calls, 1)
})

test('systemClock: a cancelled callback is never called', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let calls = 0
  const cancel = systemClock.after(60 * DAY, () => calls++)
  t.mock.timers.tick(30 * DAY)
  cancel()
  t.mock.timers.tick(60 * DAY)
  assert.equal(calls, 0)
})
