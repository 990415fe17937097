import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { compareBytewise } from './order.js'
import { SortedByName } from './sorted.js'

const name = fc.string({ unit: 'binary', maxLength: 6 })

test('compareBytewise: compares names like their UTF-8 bytes', () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      assert.equal(Math.sign(compareBytewise(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
})

test('compareBytewise: sorts a character above U+FFFF after one below', () => {
  assert.ok(compareBytewise('\u{1f600}', '\uff5e') > 0)
  assert.ok('\u{1f600}' < '\uff5e')
})

test('SortedByName: contains what was set and not deleted, in order', () => {
  const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3000 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4000, size: 'max' }), fc.integer({ min: 0, max: 3000 }), (steps, pivot) => {
      const sorted = new SortedByName<{ name: string; value: number }>()
      const model = new Map<string, number>()
      steps.forEach(([remove, number], value) => {
        const key = `n${number}`
        if (remove) sorted.delete(key)
        else sorted.set({ name: key, value })
        if (remove) model.delete(key)
        else model.set(key, value)
      })
      const expected = [...model].sort(([a], [b]) => compareBytewise(a, b))
      const after = expected.filter(([key]) => compareBytewise(key, `n${pivot}`) > 0)
      assert.equal(sorted.size, expected.length)
      assert.deepEqual(collect(sorted, undefined), expected)
      assert.deepEqual(collect(sorted, `n${pivot}`), after)
      assert.equal(sorted.countAfter(`n${pivot}`), after.length)
    }),
    { numRuns: 30 },
  )
})

function collect(sorted: SortedByName<{ name: string; value: number }>, after: string | undefined) {
  const found: [string, number][] = []
  sorted.visit(after, (item) => found.push([item.name, item.value]) > 0)
  return found
}
