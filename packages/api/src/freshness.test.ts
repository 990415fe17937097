import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFresh } from './freshness.js'

const now = new Date('2030-01-01T00:00:00Z')
const after = (seconds: number) => new Date(now.getTime() + 1_000 * seconds)

test('isFresh: until half of the validity is over, and not with a time too far in the future', () => {
  for (const [seconds, expected] of [
    [300, true],
    [151, true],
    [150, false],
    [-1, false],
    [360, true],
    [361, false],
  ] as const) {
    assert.equal(isFresh(after(seconds), 300, now), expected, `${seconds} s`)
  }
  assert.equal(isFresh(undefined, 300, now), false)
})
