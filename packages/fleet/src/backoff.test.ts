import assert from 'node:assert/strict'
import test from 'node:test'
import { RestartBackoff } from './backoff.js'

test('RestartBackoff: doubles up to half a minute, and starts over after a long run', () => {
  const backoff = new RestartBackoff()
  const waits = Array.from({ length: 9 }, () => backoff.next(10))
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  assert.equal(backoff.next(60_000), 250)
})
