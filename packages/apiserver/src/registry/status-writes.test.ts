import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { createCsr, DistinguishedName } from '@orrery/kube/pki'
import { testServer, untilGone } from '../testing/test-server.fixture.js'

const METADATA = { labels: { x: '1' }, annotations: { x: '1' } }

test('status: keeps only the metadata that its kind requires', async (t) => {
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

test('update: removes all managers with an empty list until the next apply', async (t) => {
  const { client } = await testServer(t)
  const path = '/api/v1/namespaces/default/configmaps'
  const made = await client.create<KubeObject>(path, { metadata: { name: 'a' }, data: { k: 'v' } })
  assert.equal(made.metadata.managedFields?.length, 1)
  await client.update(`${path}/a`, { metadata: { name: 'a', managedFields: [] }, data: { k: 'v' } })
  const patched = await client.patch<KubeObject>(`${path}/a`, { data: { k: 'w' } })
  assert.equal(patched.metadata.managedFields, undefined)
})

test('status: removes the last finalizer of a definition', async (t) => {
  const { client } = await testServer(t)
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const schema = { openAPIV3Schema: { type: 'object' } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  const names = { plural: 'widgets', kind: 'Widget' }
  const metadata = { name: 'widgets.example.com' }
  await client.create(path, { metadata, spec: { group: 'example.com', scope: 'Cluster', names, versions } })
  await client.delete(`${path}/widgets.example.com`)
  await untilGone(client, path, 'widgets.example.com')
})

test('approval: writes metadata and conditions of a request, not its certificate', async (t) => {
  const { client } = await testServer(t)
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = createCsr({ subject: DistinguishedName.of('a'), privateKey, publicKey })
  const spec = { request: Buffer.from(pem).toString('base64'), signerName: 'example.com/s', usages: ['client auth'] }
  await client.create(path, { metadata: { name: 'r' }, spec })
  const conditions = [{ type: 'Noted', status: 'True', reason: 'r' }]
  const patch = { metadata: { annotations: { a: 'b' } }, status: { conditions, certificate: 'bm9uZQ==' } }
  const approved = await client.patch<KubeObject>(`${path}/r/approval`, patch)
  const status = approved.status as { conditions: { type: string }[]; certificate?: string }
  assert.deepEqual(
    status.conditions.map(({ type }) => type),
    ['Noted'],
  )
  assert.equal(status.certificate, undefined)
  assert.deepEqual(approved.metadata.annotations, { a: 'b' })
})
