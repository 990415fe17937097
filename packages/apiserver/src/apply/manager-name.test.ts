import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managerName } from './manager-name.js'

test('the manager is the one the request names', () => assert.equal(managerName('me', 'kubectl/v1'), 'me'))
test('or the program of the user agent', () => assert.equal(managerName('', 'kubectl/v1.30 (linux/amd64)'), 'kubectl'))
test('without what cannot be printed', () => assert.equal(managerName('', 'a\u0000b\tc d/1'), 'abc d'))
test('and no longer than 128 bytes', () => {
  assert.equal(managerName('', 'x'.repeat(500)), 'x'.repeat(128))
  assert.equal(managerName('', 'é'.repeat(100)), 'é'.repeat(64))
})
