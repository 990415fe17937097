import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { Pace } from './pace.js'

test('Pace: limits the bytes in each second', async () => {
  const clock = new FakeClock()
  clock.advance(5_000)
  const pace = new Pace(clock, 100)
  assert.equal(pace.count(60), undefined)
  clock.advance(400)
  let isOver = false
  const wait = pace.count(60)?.then(() => {
    isOver = true
  })
  clock.advance(599)
  await Promise.resolve()
  assert.equal(isOver, false)
  clock.advance(1)
  await wait
  assert.equal(pace.count(99), undefined)
})
