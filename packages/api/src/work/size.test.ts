import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manifestSize } from './size.js'

test('manifestSize: counts the JSON with a protobuf tag and length', () => {
  assert.equal(manifestSize({}), 1 + 1 + 2)
  const filled = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
  assert.equal(manifestSize(filled(127)), 127 + 2)
  assert.equal(manifestSize(filled(128)), 128 + 3)
  assert.equal(manifestSize(filled(16_383)), 16_383 + 3)
  assert.equal(manifestSize(filled(16_384)), 16_384 + 4)
})

test('manifestSize: counts six bytes for characters that Go escapes', () => {
  const plain = manifestSize({ a: '' })
  for (const character of ['<', '>', '&', '\u2028', '\u2029']) {
    assert.equal(manifestSize({ a: character }), plain + 6, JSON.stringify(character))
    assert.equal(manifestSize({ [character]: '' }), manifestSize({ x: '' }) + 5)
  }
  assert.equal(manifestSize({ a: 'é€😀' }), plain + 2 + 3 + 4)
})

test("manifestSize: equals the size of Go's encoding for any manifest", () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[<>&\u2028\u2029é]*$/))
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (manifest) => {
      const written = JSON.stringify(manifest).replace(/[<>&\u2028\u2029]/g, '\\u0000')
      const bytes = Buffer.byteLength(written)
      const length = Math.max(1, Math.ceil(bytes.toString(2).length / 7))
      assert.equal(manifestSize(manifest), 1 + length + bytes)
    }),
  )
})
