import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strictProblems } from './strict-problems.js'

const document = {
  metadata: { name: 'a' },
  spec: { strange: 1, strangeTwice: 2, paused: true, list: [{ known: 1 }, { odd: 1, twice: 2 }] },
}

test('strictProblems: sorts problems of a built-in object by their position', () => {
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

test('strictProblems: lists duplicates before unknown fields of a custom object', () => {
  const body = { value: document, duplicates: ['spec.strangeTwice', 'spec.paused'] }
  assert.deepEqual(strictProblems(body, ['spec.strangeTwice'], true).each, [
    'duplicate field "spec.strangeTwice"',
    'duplicate field "spec.paused"',
    'unknown field "spec.strangeTwice"',
  ])
})

test('strictProblems: reports at most a hundred', () => {
  const many = Array.from({ length: 300 }, (_, i) => `spec.f${i}`)
  assert.equal(strictProblems({ value: document, duplicates: ['spec.paused'] }, many, false).each.length, 100)
})

test('strictProblems: lists duplicate keys of YAML by line, then unknown fields', () => {
  const repeats = ['line 3: key "a" already set in map', 'line 5: key "b" already set in map']
  const { each, text } = strictProblems({ value: document, duplicates: [], repeats }, ['spec.z', 'spec.y'], false)
  assert.deepEqual(each, [...repeats, 'unknown field "spec.y"', 'unknown field "spec.z"'])
  assert.equal(
    text,
    'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key "b" already set in map, unknown field "spec.y", unknown field "spec.z"',
  )
})

test('strictProblems: sorts problems of an object with many fields in linear time', () => {
  const names = Array.from({ length: 200_000 }, (_, i) => `f${i}`)
  const large = { data: Object.fromEntries(names.map((name) => [name, ''])) }
  const last = names.slice(-100).map((name) => `data.${name}`)
  const begin = process.cpuUsage().user
  const { each } = strictProblems({ value: large, duplicates: last.toReversed() }, ['data.strange'], false)
  assert.equal(each[1], 'duplicate field "data.f199900"')
  assert.ok(process.cpuUsage().user - begin < 2_000_000)
})
