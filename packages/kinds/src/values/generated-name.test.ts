import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeEncode } from './generated-name.js'

test('safeEncode: encodes as Kubernetes does, one character for each byte', () => {
  assert.equal(safeEncode([0, 1, 26, 27, 255]), 'bc9bq')
  assert.equal(safeEncode(Buffer.from('3333')), '7777')
  assert.equal(safeEncode([]), '')
})
