import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { WatchedObjects } from '../watched/types.js'
import { observe } from './observation.js'
import { metaOf, objectOf } from './testing.fixture.js'

interface Knowledge {
  readonly object?: DynamicObject
  readonly isKnown?: boolean
  readonly failure?: Error
}

function watching({ object, isKnown = false, failure }: Knowledge): WatchedObjects {
  const known = { get: () => object, isKnown: () => isKnown, failure: () => failure }
  return known as unknown as WatchedObjects
}

const object = objectOf('v1', 'ConfigMap')
const meta = metaOf(object)

test('observe: an object is present, absent, failed, or not known yet', () => {
  assert.deepEqual(observe(watching({ object, isKnown: true }), meta), { state: 'there', object })
  assert.deepEqual(observe(watching({ isKnown: true }), meta), { state: 'absent' })
  assert.deepEqual(observe(watching({ failure: new Error('no') }), meta), { state: 'failed', message: 'no' })
  assert.equal(observe(watching({}), meta), undefined)
})

test('observe: reports a manifest without a name as unnamed', () => {
  for (const field of ['version', 'resource', 'name']) {
    assert.deepEqual(observe(watching({ object }), { ...meta, [field]: '' }), { state: 'unnamed' })
  }
})

test('observe: waits for the version that was written', () => {
  const isThere = (version: string, atLeast: string) => {
    const old = { ...object, metadata: { ...object.metadata, resourceVersion: version } }
    return observe(watching({ object: old, isKnown: true }), meta, atLeast) !== undefined
  }
  assert.ok(isThere('10', '10'))
  assert.ok(isThere('10', '9'))
  assert.ok(!isThere('9', '10'))
  assert.ok(!isThere('99999999999999999998', '99999999999999999999'))
  assert.ok(isThere('not', 'numbers'))
})
