import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RetryAfter } from './retry-after.js'

test('RetryAfter: returns one second for few requests and spreads many', () => {
  let now = 1_000_000
  const retryAfter = new RetryAfter(() => now)
  const next = (count: number) => Array.from({ length: count }, () => retryAfter.next())
  assert.deepEqual([...new Set(next(150))], [1])
  const later = next(2_000)
  assert.equal(Math.max(...later), 11)
  for (let second = 2; second < 11; second++) assert.equal(later.filter((one) => one === second).length, 200)
  assert.deepEqual([...new Set(next(10_000).slice(-2_000))], [32])
  now += 60_000
  assert.deepEqual(next(3), [1, 1, 1])
})
