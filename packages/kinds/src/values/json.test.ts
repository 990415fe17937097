import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../object.js'
import { addAll, canonicalJson, cloneJson, displayed, getOwn, jsonEqual, membersEqual, setOwn } from './json.js'

const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>

test('a copy equals what it was made from, and shares nothing with it', () => {
  fc.assert(
    fc.property(values, (value) => {
      const copy = cloneJson(value)
      assert.ok(jsonEqual(copy, value))
      if (typeof value === 'object' && value !== null) assert.notEqual(copy, value)
    }),
  )
})

test('values are equal when their canonical texts are', () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      assert.equal(jsonEqual(a, b), canonicalJson(a) === canonicalJson(b))
    }),
  )
})

test('the order of members does not matter, that of items does', () => {
  assert.ok(jsonEqual({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }))
  assert.equal(canonicalJson({ b: 1, a: { d: 1, c: 2 } }), '{"a":{"c":2,"d":1},"b":1}')
  assert.ok(!jsonEqual([1, 2], [2, 1]))
  assert.ok(!jsonEqual([], {}))
  assert.ok(!jsonEqual({}, null))
})

test('a member that is undefined is as good as absent', () => {
  assert.ok(jsonEqual({ a: undefined }, {}))
  assert.ok(jsonEqual({}, { a: undefined }))
  assert.ok(!jsonEqual({ a: null }, {}))
})

test('members can be left out of a comparison', () => {
  assert.ok(membersEqual({ a: 1, b: 2 }, { a: 1, b: 3, c: 4 }, new Set(['b', 'c'])))
  assert.ok(!membersEqual({ a: 1 }, { a: 2 }, new Set(['b'])))
})

test('names of the prototype are names like any other', () => {
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

test('long lists are added to others', () => {
  const target = [0]
  addAll(target, Array(500_000).fill(1))
  assert.equal(target.length, 500_001)
})
