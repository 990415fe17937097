import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../testing/testserver.js'

const VOLUMES = '/api/v1/persistentvolumes'

const volume = (claimRef: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/data', type: '' },
    claimRef,
  },
})

const claim = { name: 'c', namespace: 'default' }

test('whoever applies a claim and whoever binds it each own their part of it', async (t) => {
  const { client } = await testServer(t)
  await client.patch(`${VOLUMES}/v?fieldManager=author`, volume(claim), 'apply')
  await client.patch(`${VOLUMES}/v?fieldManager=binder`, { spec: { claimRef: { uid: 'u' } } })
  const again = await client.patch(`${VOLUMES}/v?fieldManager=author`, volume(claim), 'apply')
  assert.deepEqual((again.spec as { claimRef: unknown }).claimRef, { ...claim, uid: 'u' })
})

test('a claim that somebody owns as a whole, from a time when it was one value, stands in nobody’s way', async (t) => {
  const { client } = await testServer(t)
  const bound = { ...claim, uid: 'u' }
  await client.create(`${VOLUMES}?fieldManager=author`, volume(bound))
  const former = {
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:claimRef': {} } },
    manager: 'binder',
    operation: 'Update',
    time: '2022-06-08T00:00:00Z',
  }
  await client.patch(`${VOLUMES}/v`, { metadata: { managedFields: [former] } })
  const applied = await client.patch(`${VOLUMES}/v?fieldManager=author`, volume(claim), 'apply')
  assert.deepEqual((applied.spec as { claimRef: unknown }).claimRef, bound)
  const owned = Object.fromEntries(
    (applied.metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]),
  ) as Record<string, { 'f:spec'?: { 'f:claimRef'?: unknown } }>
  assert.deepEqual(owned.binder?.['f:spec']?.['f:claimRef'], {})
  assert.deepEqual(owned.author?.['f:spec']?.['f:claimRef'], { 'f:name': {}, 'f:namespace': {} })
})
