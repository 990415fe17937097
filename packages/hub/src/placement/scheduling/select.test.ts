import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cluster } from './scheduling.fixture.js'
import { compareRank, selectBest } from './select.js'

test('selectBest: gives the first of the sorted clusters, whatever their order and their totals', () => {
  const total = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
    fc.double({ min: -2, max: 2, noNaN: true }),
  )
  const item = fc.record({ name: fc.integer({ min: 0, max: 999 }).map((number) => `c${number}`), total })
  const items = fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 40 })
  fc.assert(
    fc.property(items, fc.boolean(), fc.integer({ min: 0, max: 45 }), (list, isByName, count) => {
      const ordered = isByName ? [...list].sort((a, b) => (a.name < b.name ? -1 : 1)) : list
      const clusters = ordered.map(({ name }) => cluster(name))
      const totals = Float64Array.from(ordered, (one) => one.total)
      const indexes = [...clusters.keys()]
      const sorted = [...indexes].sort((a, b) => compareRank(clusters, totals, a, b))
      assert.deepEqual(selectBest(clusters, totals, count), sorted.slice(0, count))
      const even = indexes.filter((index) => index % 2 === 0)
      const sortedEven = sorted.filter((index) => index % 2 === 0)
      assert.deepEqual(selectBest(clusters, totals, count, even), sortedEven.slice(0, count))
    }),
    { numRuns: 500 },
  )
})
