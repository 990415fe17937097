import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inParallel } from './parallel.js'

test('inParallel: runs some at a time, and resolves with the results in order', async () => {
  let running = 0
  let most = 0
  const results = await inParallel([...Array(500).keys()], async (item) => {
    most = Math.max(most, ++running)
    for (let turns = item % 3; turns >= 0; turns--) await new Promise((resolve) => setImmediate(resolve))
    running--
    return item * 2
  })
  assert.deepEqual(
    results,
    Array.from({ length: 500 }, (_, item) => item * 2),
  )
  assert.equal(most, 32)
})

test('inParallel: rejects with the first error, and starts no more', async () => {
  let started = 0
  const run = async (item: number) => {
    started++
    await new Promise((resolve) => setImmediate(resolve))
    if (item === 40) throw new Error('no')
  }
  await assert.rejects(inParallel([...Array(500).keys()], run), /^Error: no$/)
  const then = started
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(started, then)
  assert.ok(started < 150, `${started} were started`)
})
