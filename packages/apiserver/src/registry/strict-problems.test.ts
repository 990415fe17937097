import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strictProblems } from './strict-problems.js'

const document = {
  metadata: { name: 'a' },
  spec: { strange: 1, strangeTwice: 2, paused: true, list: [{ known: 1 }, { odd: 1, twice: 2 }] },
}

test('the problems of a built-in object come in the order of the document', () => {
  assert.deepEqual(
    strictProblems(
      { value: document, duplicates: ['spec.strangeTwice', 'spec.list[1].twice', 'spec.paused'] },
      ['spec.list[1].odd', 'spec.strange', 'spec.strangeTwice'],
      false,
    ).each,
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
  const body = { value: document, duplicates: ['spec.strangeTwice', 'spec.paused'] }
  assert.deepEqual(strictProblems(body, ['spec.strangeTwice'], true).each, [
    'duplicate field "spec.strangeTwice"',
    'duplicate field "spec.paused"',
    'unknown field "spec.strangeTwice"',
  ])
})

test('no more than a hundred are told', () => {
  const many = Array.from({ length: 300 }, (_, i) => `spec.f${i}`)
  assert.equal(strictProblems({ value: document, duplicates: ['spec.paused'] }, many, false).each.length, 100)
})

test('those of YAML are the lines of repeated keys, then what is not known', () => {
  const repeats = ['line 3: key "a" already set in map', 'line 5: key "b" already set in map']
  const { each, text } = strictProblems({ value: document, duplicates: [], repeats }, ['spec.z', 'spec.y'], false)
  assert.deepEqual(each, [...repeats, 'unknown field "spec.y"', 'unknown field "spec.z"'])
  assert.equal(
    text,
    'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key "b" already set in map, unknown field "spec.y", unknown field "spec.z"',
  )
})

test('problems in an object with many fields are put in order without going over all of them each time', () => {
  const names = Array.from({ length: 200_000 }, (_, i) => `f${i}`)
  const large = { data: Object.fromEntries(names.map((name) => [name, ''])) }
  const last = names.slice(-100).map((name) => `data.${name}`)
  const begin = process.cpuUsage().user
  const { each } = strictProblems({ value: large, duplicates: last.toReversed() }, ['data.strange'], false)
  assert.equal(each[1], 'duplicate field "data.f199900"')
  assert.ok(process.cpuUsage().user - begin < 2_000_000)
})
