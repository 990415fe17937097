import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import { Unconfirmed } from './unconfirmed.js'

test('Unconfirmed: finds a bundle again after a time that doubles, and at once after another change', async () => {
  const clock = new FakeClock()
  let rows = [{ id: 'a', version: 1, is_deleting: false }]
  const unconfirmed = new Unconfirmed({ query: async () => rows as never }, clock, 60)
  const found: number[] = []
  for (let minute = 0; minute < 16; minute++) {
    if ((await unconfirmed.due()).length > 0) found.push(minute)
    clock.advance(60_000)
  }
  assert.deepEqual(found, [0, 1, 3, 7, 15])
  assert.deepEqual(await unconfirmed.due(), [])
  rows = [{ id: 'a', version: 2, is_deleting: false }]
  assert.deepEqual(await unconfirmed.due(), ['a'])
  rows = [{ id: 'a', version: 2, is_deleting: true }]
  assert.deepEqual(await unconfirmed.due(), ['a'])
  assert.deepEqual(await unconfirmed.all(), ['a'])
})
