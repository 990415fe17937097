import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { StoreDamaged } from './load.js'
import { openStore } from './open.js'
import { erase, temporaryDirectory, write } from './testing.fixture.js'
import type { Store } from './types.js'

const ROUNDS = Number(process.env.ORRERY_DAMAGE_ROUNDS ?? 150)

/** Creates a store with large, small and removed objects, and pages that were freed and reused. */
async function fill(directory: string): Promise<void> {
  const store = await openStore(directory)
  for (let round = 0; round < 6; round++) {
    const writes = Array.from({ length: 40 }, (_, index) =>
      write(store, `ns${index % 4}`, `n${index}`, `${round}`.repeat(index % 7 === 0 ? 9000 : 700)),
    )
    await Promise.all(writes)
    await erase(store, 'ns1', 'n1')
    if (round === 3) await store.compact(store.revision)
  }
  await store.close()
}

function contents(store: Store): string[] {
  return store.page({ bucket: 'things', namespace: undefined }).entries.map((entry) => entry.bytes.toString())
}

/** Opens a store that may be damaged: either it is complete and works, or the error names the problem. */
async function openDamaged(directory: string, whole: readonly string[]): Promise<'whole' | 'damaged'> {
  let store: Store
  try {
    store = await openStore(directory)
  } catch (error) {
    assert.ok(error instanceof StoreDamaged, String(error))
    assert.match(error.message, /data\.mdb is damaged \(.+\)\. Nothing was changed\. Restore/)
    return 'damaged'
  }
  assert.deepEqual(contents(store), whole)
  await write(store, 'ns0', 'n0', 'still works')
  await store.close()
  return 'whole'
}

test('openStore: detects a truncated or overwritten file unless it is harmless, and never ends the process', async (t) => {
  const directory = temporaryDirectory(t)
  await fill(directory)
  const file = join(directory, 'store', 'data.mdb')
  const good = readFileSync(file)
  const store = await openStore(directory)
  const whole = contents(store)
  await store.close()

  const damage = fc.oneof(
    fc.record({ kind: fc.constant('cut' as const), at: fc.integer({ min: 0, max: good.length - 1 }) }),
    fc.record({
      kind: fc.constant('flip' as const),
      at: fc.nat(good.length - 1),
      bits: fc.integer({ min: 1, max: 255 }),
    }),
    fc.record({ kind: fc.constant('header' as const), at: fc.nat(167), bits: fc.integer({ min: 1, max: 255 }) }),
    fc.record({
      kind: fc.constant('zero' as const),
      at: fc.nat(good.length - 1),
      length: fc.integer({ min: 1, max: 9000 }),
    }),
    fc.record({ kind: fc.constant('tail' as const), length: fc.integer({ min: 1, max: 9000 }) }),
  )
  const outcomes = { whole: 0, damaged: 0 }
  const property = fc.asyncProperty(damage, async (one) => {
    let bytes = Buffer.from(good)
    if (one.kind === 'cut') bytes = bytes.subarray(0, one.at)
    if (one.kind === 'flip' || one.kind === 'header') bytes[one.at] = (bytes[one.at] as number) ^ one.bits
    if (one.kind === 'zero') bytes.subarray(one.at, one.at + one.length).fill(0)
    if (one.kind === 'tail') bytes = Buffer.concat([bytes, Buffer.alloc(one.length, 0xa5)])
    writeFileSync(file, bytes)
    const outcome = await openDamaged(directory, whole)
    if (one.kind === 'tail') assert.equal(outcome, 'whole')
    outcomes[outcome]++
  })
  await fc.assert(property, { numRuns: ROUNDS })
  assert.ok(outcomes.damaged > 0)
})

test('openStore: detects every truncation of the used part of the file', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await openStore(directory)
  await write(store, 'ns', 'a', 'x'.repeat(50_000))
  await store.close()
  const file = join(directory, 'store', 'data.mdb')
  const good = readFileSync(file)
  for (let length = 0; length < good.length; length += 2048) {
    writeFileSync(file, good.subarray(0, length))
    await assert.rejects(openStore(directory), StoreDamaged)
  }
})
