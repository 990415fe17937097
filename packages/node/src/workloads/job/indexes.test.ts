import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIndexes, parseIndexes } from './indexes.js'

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
