import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, intervalAfter } from './eventually.js'

test('eventually: calls until there is a value, and returns it', async () => {
  const values = [undefined, false, 'here'] as const
  let looks = 0
  let pauses = 0
  const found: string = await eventually('a value', () => values[looks++], {
    intervalMilliseconds: 0,
    meanwhile: () => pauses++,
  })
  assert.deepEqual([found, looks, pauses], ['here', 3, 2])
})

test('intervalAfter: is a share of the time so far, within limits', () => {
  assert.deepEqual([0, 50, 200, 1_000, 60_000].map(intervalAfter), [5, 5, 10, 50, 100])
})

test('eventually: rejects with the description and the last state after the timeout', async () => {
  const options = { timeoutMilliseconds: 2, intervalMilliseconds: 1, seen: () => ({ phase: 'Pending' }) }
  await assert.rejects(
    eventually('the pod runs', () => false, options),
    /^Error: the pod runs: timed out after 0\.002 s: \{\n "phase": "Pending"\n\}$/,
  )
})

test('eventually: rejects if a call throws', async () => {
  const look = () => Promise.reject(new Error('no connection'))
  await assert.rejects(eventually('an answer', look), /no connection/)
})
