import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInSlices } from './started-in-slices.js'

test('startInSlices: lets the event loop run between calls that take long', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const handled: number[] = []
  await startInSlices([...Array(50).keys()], 50, async (item) => {
    for (const end = performance.now() + 5; performance.now() < end; );
    handled.push(item)
  })
  isDone = true
  assert.deepEqual(handled, [...Array(50).keys()])
  assert.ok(turns > 10, `${turns} turns`)
})

test('startInSlices: has a number of calls in progress, and stops at the first error', async () => {
  let running = 0
  let most = 0
  let started = 0
  const call = async (item: number) => {
    started++
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    if (item === 20) throw new Error('no')
  }
  await assert.rejects(startInSlices([...Array(100).keys()], 10, call), /no/)
  assert.equal(running, 0)
  assert.equal(most, 10)
  assert.ok(started < 40, `${started} calls`)
})
