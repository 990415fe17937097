import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearMisses } from './nearmiss.js'

const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })

test('editDistance: an added, dropped, changed or swapped letter is one step', () => {
  assert.equal(editDistance('pods', 'pods'), 0)
  assert.equal(editDistance('pods', 'pod'), 1)
  assert.equal(editDistance('pod', 'pods'), 1)
  assert.equal(editDistance('pods', 'pads'), 1)
  assert.equal(editDistance('deploymnets', 'deployments'), 1)
  assert.equal(editDistance('', 'abc'), 3)
})

test('editDistance: is symmetric, and at most the length of the longer word', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      const distance = editDistance(a, b)
      assert.equal(distance, editDistance(b, a))
      assert.equal(distance === 0, a === b)
      assert.ok(distance >= Math.abs(a.length - b.length) && distance <= Math.max(a.length, b.length))
    }),
  )
})

test('nearMisses: returns the nearest first, without duplicates, three at most', () => {
  const candidates = ['pods', 'pod', 'nods', 'pots', 'podz', 'services'].map((name) => ({ name, label: `<${name}>` }))
  assert.deepEqual(nearMisses('pods', [...candidates, { name: 'podss', label: '<pods>' }]), [
    '<pods>',
    '<pod>',
    '<nods>',
  ])
  assert.deepEqual(nearMisses('xyzzy', candidates), [])
})
