import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ProcessUsage } from './process-usage.js'

test('ProcessUsage: reads the processes of the machine once for many requests', async () => {
  let reads = 0
  const usage = new ProcessUsage(async () => {
    reads++
    await new Promise((resolve) => setImmediate(resolve))
    return new Map([[7, { seconds: 2, bytes: 4_096, age: 4 }]])
  })
  const all = await Promise.all(Array.from({ length: 50 }, () => usage.measure(new Set([7]), new Date(0))))
  for (const one of all) assert.deepEqual(one.get(7), { cores: 0.5, bytes: 4_096 })
  assert.deepEqual(await usage.measure(new Set([8]), new Date(0)), new Map([[8, { cores: 0, bytes: 0 }]]))
  assert.equal(reads, 1)
})

test('ProcessUsage: measures processes of this machine', { skip: process.platform !== 'linux' }, async () => {
  const group = Number(readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[2])
  const { bytes = 0 } = (await new ProcessUsage().measure(new Set([group]), new Date())).get(group) ?? {}
  assert.ok(bytes > 1_000_000, `${bytes} bytes`)
})
