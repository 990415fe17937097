import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearMisses } from './nearmiss.js'

const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })

test('a letter added, dropped, changed or swapped is one step', () => {
  assert.equal(editDistance('pods', 'pods'), 0)
  assert.equal(editDistance('pods', 'pod'), 1)
  assert.equal(editDistance('pod', 'pods'), 1)
  assert.equal(editDistance('pods', 'pads'), 1)
  assert.equal(editDistance('deploymnets', 'deployments'), 1)
  assert.equal(editDistance('', 'abc'), 3)
})

test('the distance is the same both ways, and no more than the longer word', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      const distance = editDistance(a, b)
      assert.equal(distance, editDistance(b, a))
      assert.equal(distance === 0, a === b)
      assert.ok(distance >= Math.abs(a.length - b.length) && distance <= Math.max(a.length, b.length))
    }),
  )
})

test('the nearest come first, each label once, three at most', () => {
  const candidates = ['pods', 'pod', 'nods', 'pots', 'podz', 'services'].map((name) => ({ name, label: `<${name}>` }))
  assert.deepEqual(nearMisses('pods', [...candidates, { name: 'podss', label: '<pods>' }]), [
    '<pods>',
    '<pod>',
    '<nods>',
  ])
  assert.deepEqual(nearMisses('xyzzy', candidates), [])
})
