import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { Rounds } from './rounds.js'

test('Rounds: calls each callback once in the interval, and not after it was removed', () => {
  const clock = new FakeClock()
  const rounds = new Rounds(clock, 10, () => undefined)
  const calls = Array.from({ length: 25 }, () => 0)
  const remove = calls.map((_, index) => rounds.add(() => calls[index]!++))
  clock.advance(10_000)
  assert.deepEqual(new Set(calls), new Set([1]))
  remove[0]?.()
  clock.advance(10_000)
  assert.deepEqual([calls[0], calls[1]], [1, 2])
  rounds.close()
  assert.equal(clock.waiting, 0)
})

test('Rounds: calls nothing with an interval of 0', () => {
  const clock = new FakeClock()
  new Rounds(clock, 0, () => undefined).add(() => assert.fail('called'))
  clock.advance(100_000)
  assert.equal(clock.waiting, 0)
})
