import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { desiredObject } from './desired.js'
import { changedMetadata, mergeKeys, newObject } from './metadata.js'

const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'u' }
const desired = (metadata: object) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } }) as KubeObject
const current = (metadata: object) =>
  desired({ uid: '1', resourceVersion: '2', creationTimestamp: '', ...metadata }) as DynamicObject

test('mergeKeys: a key with a trailing dash removes the key', () => {
  assert.deepEqual(mergeKeys({ a: '1', b: '2' }, { 'a-': '', 'c-': '', d: '4' }), { b: '2', d: '4' })
})

test('mergeKeys: returns the same object if nothing changes', () => {
  const known = { a: '1' }
  assert.equal(mergeKeys(known, { a: '1', 'b-': '' }), known)
})

test('newObject: has the owner, and no keys with a trailing dash', () => {
  const object = newObject(desired({ labels: { a: '1', 'b-': '' }, ownerReferences: [] }), owner, true)
  assert.deepEqual(object.metadata.labels, { a: '1' })
  assert.deepEqual(object.metadata.ownerReferences, [owner])
  assert.equal(newObject(desired({}), owner, false).metadata.ownerReferences, undefined)
})

test('changedMetadata: returns undefined if the metadata is in the desired state', () => {
  assert.equal(changedMetadata(current({ ownerReferences: [owner] }), desired({}), owner, true), undefined)
  assert.equal(changedMetadata(current({}), desired({}), owner, false), undefined)
  assert.deepEqual(changedMetadata(current({}), desired({}), owner, true)?.ownerReferences, [owner])
  assert.deepEqual(
    changedMetadata(current({ ownerReferences: [owner] }), desired({}), owner, false)?.ownerReferences,
    [],
  )
})

test("desiredObject: removes server fields and Go's null timestamps", () => {
  const template = { metadata: { creationTimestamp: null, labels: { a: '1' } } }
  const manifest = { ...desired({ uid: 'x', resourceVersion: '1', managedFields: [] }), spec: { template } }
  assert.deepEqual(desiredObject(manifest), {
    ...desired({}),
    spec: { template: { metadata: { labels: { a: '1' } } } },
  })
})
