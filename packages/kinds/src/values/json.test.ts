import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../object.js'
import { addAll, canonicalJson, cloneJson, displayed, getOwn, jsonEqual, membersEqual, setOwn } from './json.js'

const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>

test('cloneJson: returns an equal copy that shares nothing', () => {
  fc.assert(
    fc.property(values, (value) => {
      const copy = cloneJson(value)
      assert.ok(jsonEqual(copy, value))
      if (typeof value === 'object' && value !== null) assert.notEqual(copy, value)
    }),
  )
})

test('jsonEqual: values are equal if their canonical texts are', () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      assert.equal(jsonEqual(a, b), canonicalJson(a) === canonicalJson(b))
    }),
  )
})

test('jsonEqual: ignores the order of members, but not of items', () => {
  assert.ok(jsonEqual({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }))
  assert.equal(canonicalJson({ b: 1, a: { d: 1, c: 2 } }), '{"a":{"c":2,"d":1},"b":1}')
  assert.ok(!jsonEqual([1, 2], [2, 1]))
  assert.ok(!jsonEqual([], {}))
  assert.ok(!jsonEqual({}, null))
})

test('jsonEqual: an undefined member equals an absent one', () => {
  assert.ok(jsonEqual({ a: undefined }, {}))
  assert.ok(jsonEqual({}, { a: undefined }))
  assert.ok(!jsonEqual({ a: null }, {}))
})

test('membersEqual: ignores the given members', () => {
  assert.ok(membersEqual({ a: 1, b: 2 }, { a: 1, b: 3, c: 4 }, new Set(['b', 'c'])))
  assert.ok(!membersEqual({ a: 1 }, { a: 2 }, new Set(['b'])))
})

test('getOwn, setOwn: treat names of the prototype as data', () => {
  const hostile = JSON.parse('{"__proto__": {"polluted": true}, "toString": 1}') as JsonObject
  const copy = cloneJson(hostile)
  assert.equal(JSON.stringify(copy), JSON.stringify(hostile))
  assert.equal(getOwn({}, 'constructor'), undefined)
  const object: JsonObject = {}
  setOwn(object, '__proto__', { polluted: true })
  assert.deepEqual(Object.keys(object), ['__proto__'])
  assert.equal((object as { polluted?: boolean }).polluted, undefined)
  assert.equal(displayed(hostile), JSON.stringify(hostile))
})

test('addAll: adds long lists', () => {
  const target = [0]
  addAll(target, Array(500_000).fill(1))
  assert.equal(target.length, 500_001)
})
