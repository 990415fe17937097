import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CrashBackoff } from './crash-backoff.js'

test('CrashBackoff: restarts immediately at first, then with growing delays up to five minutes', () => {
  const backoff = new CrashBackoff()
  const waits: number[] = []
  let now = 0
  for (let run = 0; run < 8; run++) {
    const due = backoff.dueAfter(now)
    waits.push((due - now) / 1_000)
    backoff.restarted(now, due)
    now = due
  }
  assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300])
})

test('CrashBackoff: resets after a container has run for a long time', () => {
  const backoff = new CrashBackoff()
  backoff.restarted(0, 0)
  backoff.restarted(10_000, 20_000)
  const later = 20_000 + 11 * 60_000
  assert.equal(backoff.dueAfter(later), later)
  backoff.restarted(later, later)
  assert.equal(backoff.milliseconds, 10_000)
})
