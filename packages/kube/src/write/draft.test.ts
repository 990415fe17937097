import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap } from '@orrery/kinds'
import { draftOf } from './draft.js'

const kept: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    namespace: 'default',
    name: 'c',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2030-01-01T00:00:00Z',
    finalizers: ['a'],
  },
  data: { x: '1' },
}

test('draftOf: returns a copy to change, and keeps the object', () => {
  const draft = draftOf(kept)
  draft.metadata.finalizers?.push('b')
  draft.data = { ...draft.data, y: '2' }
  assert.deepEqual([draft.metadata.finalizers, draft.data], [['a', 'b'], { x: '1', y: '2' }])
  assert.deepEqual([kept.metadata.finalizers, kept.data], [['a'], { x: '1' }])
})

test('ConfigMap: an object from a server is read-only in its type', () => {
  const changes = [
    // @ts-expect-error: a field
    (object: ConfigMap) => (object.data = {}),
    // @ts-expect-error: a member of a map
    (object: ConfigMap) => ((object.metadata.labels ?? {}).x = 'y'),
    // @ts-expect-error: a list
    (object: ConfigMap) => object.metadata.finalizers?.push('b'),
  ]
  assert.equal(changes.length, 3)
})
