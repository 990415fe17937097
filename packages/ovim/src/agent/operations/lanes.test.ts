import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Lanes, type Scope, Slots } from './lanes.js'

const scopes: fc.Arbitrary<Scope> = fc
  .record({
    namespace: fc.constantFrom('n1', 'n2'),
    machine: fc.constantFrom('a', 'b', undefined),
  })
  .map(({ namespace, machine }) => ({ namespace, ...(machine !== undefined && { machine }) }))

const overlaps = (a: Scope, b: Scope) =>
  a.namespace === b.namespace && (a.machine === undefined || b.machine === undefined || a.machine === b.machine)

test('lanes: operations on the same machine or data center never overlap and keep their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(scopes, fc.nat(3)), { maxLength: 25 }), async (operations) => {
      const lanes = new Lanes()
      const running = new Set<number>()
      const ended: number[] = []
      const scopeAt = (index: number) => operations[index]?.[0] as Scope
      await Promise.all(
        operations.map(([scope, turns], index) =>
          lanes.run(scope, async () => {
            for (const other of running) assert.ok(!overlaps(scope, scopeAt(other)))
            running.add(index)
            for (let turn = 0; turn < turns; turn++) await Promise.resolve()
            running.delete(index)
            ended.push(index)
          }),
        ),
      )
      assert.equal(ended.length, operations.length)
      for (const [position, later] of ended.entries()) {
        for (const earlier of ended.slice(position + 1)) {
          if (earlier < later) assert.ok(!overlaps(scopeAt(earlier), scopeAt(later)))
        }
      }
    }),
  )
})

test('lanes: a failed operation does not hold up the next one', async () => {
  const lanes = new Lanes()
  const failed = lanes.run({ namespace: 'n', machine: 'a' }, () => Promise.reject(new Error('no')))
  const next = lanes.run({ namespace: 'n', machine: 'a' }, async () => undefined)
  await assert.rejects(failed, /no/)
  await next
})

test('slots: run at most so many tasks at a time, and all of them', async () => {
  const slots = new Slots(() => 3)
  let running = 0
  let most = 0
  let done = 0
  await Promise.all(
    Array.from({ length: 20 }, () =>
      slots.run(async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        done++
      }),
    ),
  )
  assert.deepEqual({ most, done }, { most: 3, done: 20 })
})
