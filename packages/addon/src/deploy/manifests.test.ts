import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkedManifests } from './manifests.js'

test('checkedManifests: refuses a manifest that does not fit into a work before it becomes JSON', () => {
  const value = 'x'.repeat(900_000)
  // As JSON, this would take 9 GB.
  const env = Array.from({ length: 10_000 }, () => ({ name: 'HTTP_PROXY', value }))
  const manifest = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'agent' }, spec: { env } }
  assert.throws(() => checkedManifests([manifest]), {
    name: 'RangeError',
    message: 'Deployment agent takes more than 512000 bytes: no more fit into one work',
  })
})

test('checkedManifests: leaves out undefined values and the empty creationTimestamp', () => {
  const metadata = { name: 'a', creationTimestamp: null, labels: undefined }
  assert.deepEqual(checkedManifests([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]), [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  ])
})

test('checkedManifests: refuses many large manifests before they become JSON', () => {
  const data = { key: 'x'.repeat(500_000) }
  const manifests = Array.from({ length: 5_000 }, (_, index) => {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m${index}` }, data }
  })
  assert.equal(checkedManifests(manifests.slice(0, 30)).length, 30)
  assert.throws(() => checkedManifests(manifests), {
    name: 'RangeError',
    message: 'the manifests take more than 16777216 bytes: divide them among several add-ons',
  })
})
