import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@orrery/kinds'
import { comparison } from './comparison.js'

const stored = { uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }

function object(metadata: object, rest: object): ApiObject {
  return { apiVersion: 'v1', kind: 'Example', metadata: { name: 'one', ...stored, ...metadata }, ...rest } as ApiObject
}

test('comparison: ignores labels, annotations, finalizers and owners of others, and members that are not wanted', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '2' }
  const current = object(
    {
      labels: { mine: 'a', theirs: 'b' },
      annotations: { theirs: 'c' },
      finalizers: ['theirs', 'mine'],
      ownerReferences: [{ ...owner, uid: '3' }, owner],
    },
    { data: { key: 'value' }, status: { phase: 'Active' } },
  )
  const metadata = { name: 'one', labels: { mine: 'a' }, finalizers: ['mine'], ownerReferences: [owner] }
  assert.equal(comparison(current, { metadata, data: { key: 'value' } } as never), 'equal')
})

test('comparison: finds wanted labels, finalizers and owners that are missing', () => {
  const current = object({}, {})
  for (const metadata of [
    { labels: { mine: 'a' } },
    { annotations: { constructor: 'a' } },
    { finalizers: ['mine'] },
    { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '2' }] },
  ]) {
    assert.equal(comparison(current, { metadata: { name: 'one', ...metadata } }), 'different')
  }
})

test('comparison: distinguishes additional fields from fields that differ', () => {
  const wanted = (rules: object[]) => ({ metadata: { name: 'one' }, rules }) as never
  const current = object({}, { rules: [{ verbs: ['get'], resources: ['pods'] }] })
  assert.equal(comparison(current, wanted([{ resources: ['pods'], verbs: ['get'] }])), 'equal')
  assert.equal(comparison(current, wanted([{ resources: ['pods'], verbs: ['get'], names: [] }])), 'equal')
  assert.equal(comparison(current, wanted([{ verbs: ['get'] }])), 'more')
  assert.equal(comparison(current, wanted([{ verbs: ['list'], resources: ['pods'] }])), 'different')
  assert.equal(comparison(current, wanted([])), 'different')
  assert.equal(comparison(object({}, { rules: null }), wanted([])), 'equal')
})
