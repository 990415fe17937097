import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTiming, DEFAULT_TIMING, PATIENT_TIMING } from './timing.js'

test('checkTiming: rejects times that allow two leaders', () => {
  checkTiming(DEFAULT_TIMING)
  checkTiming(PATIENT_TIMING)
  const refused = [
    [{ leaseDuration: 10_000 }, /leaseDuration must be greater than renewDeadline/],
    [{ renewDeadline: 2_400 }, /renewDeadline must be greater than 1\.2 × retryPeriod/],
    [{ retryPeriod: 0 }, /retryPeriod must be greater than zero/],
    [{ retryPeriod: Number.NaN }, /retryPeriod must be greater than zero/],
    [{ leaseDuration: 900, renewDeadline: 500, retryPeriod: 100 }, /at least one second/],
  ] as const
  for (const [change, message] of refused) {
    assert.throws(() => checkTiming({ ...DEFAULT_TIMING, ...change }), message)
  }
})
