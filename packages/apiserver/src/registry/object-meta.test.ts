import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { encodeObject, generateName, shallowCopy } from './object-meta.js'

test('generateName: returns names that fit into a label and contain no words', () => {
  assert.match(generateName('pod-'), /^pod-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  assert.equal(generateName('x'.repeat(80)).length, 63)
})

test('orderMeta: makes stored objects equal, whatever the order of their fields', () => {
  const object: KubeObject = {
    kind: 'ConfigMap',
    metadata: { labels: {}, uid: 'u', namespace: 'n', name: 'x', finalizers: [] },
    apiVersion: 'v1',
    data: { k: 'v' },
  }
  const expected = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'n', uid: 'u', resourceVersion: '7' },
    data: { k: 'v' },
  }
  assert.equal(encodeObject(object, 7).toString(), JSON.stringify(expected))
})

test('shallowCopy: copies metadata', () => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: {} }
  const copy = shallowCopy(object)
  copy.metadata.name = 'y'
  assert.equal(object.metadata.name, 'x')
  assert.equal(copy.spec, object.spec)
})
