import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalBase64 } from './base64.js'

test('canonicalBase64: returns canonical text unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      assert.equal(canonicalBase64(text), text)
    }),
  )
})

test('canonicalBase64: removes line breaks and stray bits', () => {
  assert.equal(canonicalBase64('YW\nJj\r\n'), 'YWJj')
  assert.equal(canonicalBase64('QR=='), 'QQ==')
  assert.equal(canonicalBase64('YWJjQR=\n='), 'YWJjQQ==')
})

test('canonicalBase64: returns the offset of the first invalid byte', () => {
  for (const [text, offset] of [
    ['%%', 0],
    ['YQ', 0],
    ['YWJjYQ', 4],
    ['YQ=', 3],
    ['YQ=x', 2],
    ['YQ==x', 4],
    ['YQ==YQ==', 4],
    ['Y===', 1],
    ['=', 0],
    ['YWJ-', 3],
    ['YWJ_', 3],
    ['YWé=', 2],
  ] as const) {
    assert.equal(canonicalBase64(text), offset, text)
  }
})
