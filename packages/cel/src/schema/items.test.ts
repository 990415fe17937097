import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countItems } from './items.js'
import { schemaTree } from './schema-tree.js'

const node = schemaTree({
  type: 'object',
  properties: {
    names: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'integer' } },
    map: { type: 'object', additionalProperties: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
})

test('countItems: counts fields, map entries and the items of sets, and no items of other lists', () => {
  assert.equal(countItems({ names: ['a', 'b'], numbers: [1, 2, 3], map: { k: { x: [{ y: 1 }] } } }, node, 1000), 8)
  assert.equal(countItems({ names: null, map: {} }, node, 1000), 2)
})

test('countItems: stops just beyond the limit', () => {
  const map = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, { a: 1, b: 2 }]))
  assert.ok(countItems({ map }, node, 10) > 10)
  assert.equal(countItems({ map }, node, 1000), 301)
})
