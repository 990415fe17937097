import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { getOwn, isObject, setOwn } from '@orrery/kinds/values'
import fc from 'fast-check'
import { semanticEqual } from './equal.js'
import { mergePatchOf } from './merge-patch.js'

/** RFC 7386 section 2, word for word. */
function apply(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    if (patch[key] === null) delete result[key]
    else setOwn(result, key, apply(getOwn(result, key), patch[key] as JsonValue))
  }
  return result
}

/** Null members are the same as absent ones; list items stay as they are. */
function withoutNulls(value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const key of Object.keys(value)) {
    if (value[key] !== null) setOwn(result, key, withoutNulls(value[key] as JsonValue))
  }
  return result
}

const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, 0, 1, '', 'a', true),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), tie('value'), { maxKeys: 4 }),
}))

test('mergePatchOf: the patch turns one object into the other, and is undefined for equal ones', () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      const patch = mergePatchOf(before, after)
      assert.deepEqual(withoutNulls(apply(before, patch ?? {})), withoutNulls(after))
      assert.equal(mergePatchOf(after, after), undefined)
      assert.equal(mergePatchOf(apply(before, patch ?? {}) as JsonObject, after), undefined)
      if (patch !== undefined) assert.notDeepEqual(withoutNulls(before), withoutNulls(after))
    }),
    { numRuns: 500 },
  )
})

test('mergePatchOf: contains only differences', () => {
  const before = { phase: 'A', kept: { deep: [1] }, gone: 1, list: [1, 2], map: { x: 1, y: 2 } }
  const after = { phase: 'B', kept: { deep: [1] }, gone: undefined, list: [2], map: { x: 1, y: 3, z: 4 } }
  assert.deepEqual(mergePatchOf(before, after), { phase: 'B', gone: null, list: [2], map: { y: 3, z: 4 } })
  assert.deepEqual(mergePatchOf({ a: { b: 1 } }, { a: 1 }), { a: 1 })
  assert.deepEqual(mergePatchOf({ a: 1 }, { a: {} }), { a: {} })
  assert.deepEqual(mergePatchOf({ a: 1 }, { a: null }), { a: null })
  assert.equal(mergePatchOf({ a: null }, {}), undefined)
})

test('semanticEqual: absent, null and empty are equal, and nothing else is', () => {
  const nothing = [undefined, null, [], {}]
  for (const a of nothing) {
    for (const b of nothing) {
      assert.ok(semanticEqual(a, b))
      assert.ok(semanticEqual({ x: a, y: 1 }, { y: 1, x: b }))
    }
    for (const b of [0, '', false, [1], { a: 1 }]) {
      assert.ok(!semanticEqual(a, b))
      assert.ok(!semanticEqual(b, a))
      assert.ok(!semanticEqual({ a }, { a: b }))
    }
  }
  assert.ok(!semanticEqual([1, 2], [2, 1]))
  assert.ok(!semanticEqual([1], { 0: 1 }))
  assert.ok(!semanticEqual({ constructor: 1 }, {}))
})
