import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from './recent.js'

test('Recent: drops the least recently used first', () => {
  const recent = new Recent<number>()
  for (let key = 0; key < 4_096; key++) recent.set(String(key), key)
  assert.equal(recent.get('0'), 0)
  recent.set('new', -1)
  assert.equal(recent.get('0'), 0)
  assert.equal(recent.get('1'), undefined)
  assert.equal(recent.get('2'), 2)
})
