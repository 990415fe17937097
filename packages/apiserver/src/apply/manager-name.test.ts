import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managerName } from './manager-name.js'

test('managerName: uses the manager of the request', () => assert.equal(managerName('me', 'kubectl/v1'), 'me'))
test('managerName: falls back to the program of the user agent', () =>
  assert.equal(managerName('', 'kubectl/v1.30 (linux/amd64)'), 'kubectl'))
test('managerName: removes unprintable characters', () => assert.equal(managerName('', 'a\u0000b\tc d/1'), 'abc d'))
test('managerName: truncates to 128 bytes', () => {
  assert.equal(managerName('', 'x'.repeat(500)), 'x'.repeat(128))
  assert.equal(managerName('', 'é'.repeat(100)), 'é'.repeat(64))
})
