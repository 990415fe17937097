import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { ChangeTimes } from './change-times.js'

test('change times: only what differs is a change', () => {
  const clock = new FakeClock(new Date('2030-01-01T00:00:00Z'))
  const changes = new ChangeTimes<{ status: string }>(clock)
  assert.equal(changes.note('a', { status: 'running' }), true)
  clock.advance(1_000)
  assert.equal(changes.note('a', { status: 'running' }), false)
  assert.equal(changes.of('a'), '2030-01-01T00:00:00.000Z')
  assert.equal(changes.note('a', { status: 'stopped' }), true)
  assert.equal(changes.of('a'), '2030-01-01T00:00:01.000Z')
  assert.equal(changes.note('a', undefined), true)
  assert.equal(changes.note('a', undefined), false)
})
