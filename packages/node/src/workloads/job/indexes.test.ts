import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIndexes, includesIndex, parseIndexes, parseRanges, sizeOf } from './indexes.js'

test('formatIndexes: formats indexes as Kubernetes does', () => {
  assert.equal(formatIndexes([7, 0, 2, 3, 4, 9, 8]), '0,2-4,7-9')
  assert.equal(formatIndexes([1, 2]), '1,2')
  assert.equal(formatIndexes([]), '')
  assert.deepEqual([...parseIndexes('0,2-4,x,9-5', 4)], [0, 2, 3])
})

test('parseIndexes: parses what formatIndexes returns', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200)), (indexes) => {
      assert.deepEqual(
        [...parseIndexes(formatIndexes(indexes), 201)],
        indexes.toSorted((a, b) => a - b),
      )
    }),
  )
})

test('parseRanges, sizeOf, includesIndex: merge, count and search ranges without listing them', () => {
  const ranges = parseRanges('5-7,0-1,6-9,2,x,12-10,1000-4000000000', 2_000_000_000)
  assert.deepEqual(ranges, [
    [0, 2],
    [5, 9],
    [1000, 1_999_999_999],
  ])
  assert.equal(sizeOf(ranges), 3 + 5 + 1_999_999_000)
  const includes = [0, 2, 3, 5, 9, 10, 999, 1000, 1_999_999_999, 2_000_000_000].map((one) => includesIndex(ranges, one))
  assert.deepEqual(includes, [true, true, false, true, true, false, false, true, true, false])
})
