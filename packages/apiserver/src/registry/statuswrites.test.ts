import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kube'
import { testServer } from '../testing/testserver.js'

const METADATA = { labels: { x: '1' }, annotations: { x: '1' } }

test('a status endpoint keeps the metadata its kind says, and no other', async (t) => {
  const { client } = await testServer(t)
  const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } } }
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const written = async (plural: string) => {
    const path = `/apis/apps/v1/namespaces/default/${plural}`
    await client.create(path, { metadata: { name: 'w' }, spec: { ...spec, template } })
    const { metadata } = await client.patch<KubeObject>(`${path}/w/status`, { metadata: METADATA })
    return { labels: metadata.labels?.x, annotations: metadata.annotations?.x }
  }
  assert.deepEqual(await written('replicasets'), { labels: '1', annotations: '1' })
  assert.deepEqual(await written('deployments'), { labels: undefined, annotations: '1' })
})

test('an update with an empty list of managers forgets them until the next apply', async (t) => {
  const { client } = await testServer(t)
  const path = '/api/v1/namespaces/default/configmaps'
  const made = await client.create<KubeObject>(path, { metadata: { name: 'a' }, data: { k: 'v' } })
  assert.equal(made.metadata.managedFields?.length, 1)
  await client.update(`${path}/a`, { metadata: { name: 'a', managedFields: [] }, data: { k: 'v' } })
  const patched = await client.patch<KubeObject>(`${path}/a`, { data: { k: 'w' } })
  assert.equal(patched.metadata.managedFields, undefined)
})
