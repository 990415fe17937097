import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sha256Hex } from './sha256.js'

test('sha256Hex: agrees with node:crypto for texts of all lengths around the size of a block', () => {
  for (let length = 0; length < 200; length++) {
    const text = 'é'.repeat(length % 7) + 'a'.repeat(length)
    assert.equal(sha256Hex(text), createHash('sha256').update(text).digest('hex'), String(length))
  }
})
