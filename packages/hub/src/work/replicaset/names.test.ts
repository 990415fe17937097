import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDNS1123Subdomain } from '@orrery/kinds/values'
import { childName, replicaSetKey, replicaSetOf } from './names.js'

test('replicaSetOf: finds the replica set of a label value, with dots in its name or not', () => {
  for (const ref of [
    { namespace: 'apps', name: 'web' },
    { namespace: 'apps', name: 'web.v1.example' },
  ]) {
    assert.deepEqual(replicaSetOf(replicaSetKey(ref)), ref)
  }
  for (const key of ['', 'web', '.web']) assert.equal(replicaSetOf(key), undefined)
})

test('childName: is derived from the name and uid of the replica set', () => {
  const name = childName({ name: 'web', uid: 'one' })
  assert.match(name, /^web[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  assert.equal(childName({ name: 'web', uid: 'one' }), name)
  assert.notEqual(childName({ name: 'web', uid: 'two' }), name)
  for (const long of ['w'.repeat(253), `${'w'.repeat(57)}.example`, `${'w'.repeat(57)}-example`]) {
    const child = childName({ name: long, uid: 'one' })
    assert.equal(child.length, 63)
    assert.deepEqual(isDNS1123Subdomain(child), [])
  }
})
