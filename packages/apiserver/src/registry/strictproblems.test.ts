import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strictProblems } from './strictproblems.js'

const document = {
  metadata: { name: 'a' },
  spec: { strange: 1, strangeTwice: 2, paused: true, list: [{ known: 1 }, { odd: 1, twice: 2 }] },
}

test('the problems of a built-in object come in the order of the document', () => {
  assert.deepEqual(
    strictProblems(
      document,
      ['spec.list[1].odd', 'spec.strange', 'spec.strangeTwice'],
      ['spec.strangeTwice', 'spec.list[1].twice', 'spec.paused'],
      false,
    ),
    [
      'unknown field "spec.strange"',
      'unknown field "spec.strangeTwice"',
      'duplicate field "spec.paused"',
      'unknown field "spec.list[1].odd"',
      'duplicate field "spec.list[1].twice"',
    ],
  )
})

test('those of a custom object are what is there twice, then what is not in the schema', () => {
  assert.deepEqual(strictProblems(document, ['spec.strangeTwice'], ['spec.strangeTwice', 'spec.paused'], true), [
    'duplicate field "spec.strangeTwice"',
    'duplicate field "spec.paused"',
    'unknown field "spec.strangeTwice"',
  ])
})

test('no more than a hundred are told', () => {
  const many = Array.from({ length: 300 }, (_, i) => `spec.f${i}`)
  assert.equal(strictProblems(document, many, ['spec.paused'], false).length, 100)
})
