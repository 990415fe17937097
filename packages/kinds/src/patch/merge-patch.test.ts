import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../object.js'
import { mergePatch } from './merge-patch.js'

describe('mergePatch: applies a patch', () => {
  const cases: [string, JsonObject, JsonObject, JsonObject][] = [
    ['sets and removes members', { a: 1, b: 2 }, { a: null, c: 3 }, { b: 2, c: 3 }],
    ['goes into objects', { a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } }, { a: { c: 2, d: 3 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['replaces an object by something else', { a: { b: 1 } }, { a: 'x' }, { a: 'x' }],
    ['replaces something else by an object', { a: 'x' }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
    ['drops nulls of new objects', {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
    ['drops nulls of objects in new lists', {}, { a: [{ b: null }, null] }, { a: [{}, null] }],
    ['keeps nulls of objects in a list that replaces an object', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['removes what is not there', { a: 1 }, { b: null }, { a: 1 }],
  ]
  for (const [what, target, patch, expected] of cases) {
    test(what, () => {
      const before = JSON.stringify([target, patch])
      assert.deepEqual(mergePatch(target, patch), expected)
      assert.equal(JSON.stringify([target, patch]), before)
    })
  }

  test('mergePatch: returns 400 if the patch is not an object', () => {
    assert.throws(() => mergePatch({}, null), /^StatusError: Invalid JSON Patch$/)
    assert.throws(() => mergePatch({}, [1]), /cannot unmarshal array into Go value of type map\[string\]interface/)
  })

  test('mergePatch: shares unchanged values with the input', () => {
    const target = { a: { b: 1 }, c: { d: 1 } }
    assert.equal(mergePatch(target, { c: { e: 1 } }).a, target.a)
  })

  test('mergePatch: treats names such as __proto__ as ordinary names', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'))
    assert.equal(JSON.stringify(merged), '{"__proto__":{"polluted":true}}')
    assert.deepEqual(mergePatch({}, { constructor: { a: 1 } as JsonValue }), { constructor: { a: 1 } })
  })

  test('mergePatch: is idempotent', () => {
    const { object } = fc.letrec<{ object: JsonObject }>((tie) => ({
      object: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.constantFrom('x', 1, null, [1]), tie('object')), {
        noNullPrototype: true,
      }),
    }))
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const once = mergePatch(target, patch)
        assert.deepEqual(mergePatch(once, patch), once)
      }),
      { numRuns: 100 },
    )
  })
})
