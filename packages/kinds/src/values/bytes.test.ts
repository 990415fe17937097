import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  base64Bytes,
  base64Text,
  compareBytes,
  hexBytes,
  hexText,
  joinBytes,
  utf8Bytes,
  utf8Length,
  utf8Text,
} from './bytes.js'

const anyText = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('\ud800', '\udc00')),
})
const anyBytes = fc.uint8Array()
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer)

test('utf8Length, utf8Bytes, utf8Text: agree with Buffer', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(utf8Length(text), Buffer.byteLength(text))
      assert.deepEqual(utf8Bytes(text), plain(Buffer.from(text)))
    }),
  )
  fc.assert(fc.property(anyBytes, (bytes) => assert.equal(utf8Text(bytes), Buffer.from(bytes).toString())))
  assert.equal(utf8Text(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), '\ufeffa')
})

test('base64Text, hexText: agree with Buffer, in both directions', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const buffer = Buffer.from(bytes)
      assert.equal(base64Text(bytes), buffer.toString('base64'))
      assert.equal(hexText(bytes), buffer.toString('hex'))
      assert.deepEqual(hexBytes(buffer.toString('hex')), bytes)
      assert.deepEqual(base64Bytes(buffer.toString('base64')), bytes)
      assert.deepEqual(base64Bytes(buffer.toString('base64url')), bytes)
    }),
  )
  for (const text of ['YQ', 'Y Q==', 'YW\nJj', 'YQ==YQ', 'Y', '', 'é', '~~~~']) {
    assert.deepEqual(base64Bytes(text), plain(Buffer.from(text, 'base64')), text)
  }
})

test('joinBytes, compareBytes: agree with Buffer', () => {
  fc.assert(
    fc.property(anyBytes, anyBytes, (a, b) => {
      assert.deepEqual(joinBytes([a, b]), plain(Buffer.concat([a, b])))
      assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(a, b))
    }),
  )
})
