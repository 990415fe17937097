import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WriteGate } from './write-gate.js'

async function mostAtOnce(gate: WriteGate, sizes: readonly number[]): Promise<{ bytes: number; done: number[] }> {
  let running = 0
  let bytes = 0
  const done: number[] = []
  await Promise.all(
    sizes.map((size) =>
      gate.run(size, async () => {
        running += size
        bytes = Math.max(bytes, running)
        await new Promise(setImmediate)
        running -= size
        done.push(size)
      }),
    ),
  )
  return { bytes, done }
}

test('WriteGate: runs as many writes at the same time as fit, in order', async () => {
  assert.deepEqual(await mostAtOnce(new WriteGate(10), [4, 3, 5, 2, 1]), { bytes: 10, done: [4, 3, 5, 2, 1] })
  assert.equal(
    (
      await mostAtOnce(
        new WriteGate(100),
        Array.from({ length: 50 }, () => 2),
      )
    ).bytes,
    100,
  )
})

test('WriteGate: runs a write that is larger than the limit alone', async () => {
  assert.equal((await mostAtOnce(new WriteGate(10), [30, 1, 30])).bytes, 30)
})

test('WriteGate: continues after a write that fails', async () => {
  const gate = new WriteGate(1)
  const failing = gate.run(1, () => Promise.reject(new Error('refused')))
  const next = gate.run(1, async () => 'written')
  await assert.rejects(failing, /refused/)
  assert.equal(await next, 'written')
})
