import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAll } from './closing.js'

test('closeAll: closes all once in reverse order, and throws the first error', async () => {
  const closed: number[] = []
  const steps = [1, 2, 3].map((number) => async () => {
    closed.push(number)
    if (number > 1) throw new Error(`${number} fails`)
  })
  await assert.rejects(closeAll(steps), { message: '3 fails' })
  assert.deepEqual(closed, [3, 2, 1])
  await closeAll(steps)
  assert.deepEqual(closed, [3, 2, 1])
})
