import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { define, testServer } from '../testing/test-server.fixture.js'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const NAME = 'widgets.example.com'

/** Returns a definition of widgets with two versions, stored as v2. */
function widgets(defaults: { v1?: JsonObject; v2?: JsonObject }) {
  const version = (name: 'v1' | 'v2') => ({
    name,
    served: true,
    storage: name === 'v2',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' }, ...defaults[name] } } },
      },
    },
  })
  return {
    metadata: { name: NAME },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1'), version('v2')],
    },
  }
}

const withDefault = { c: { type: 'string', default: 'C' } }

test('customLogic: applies the defaults of the stored version on read', async (t) => {
  const { client } = await testServer(t)
  await define(client, widgets({ v1: { c: { type: 'string' } }, v2: { c: { type: 'string' } } }))
  const path = '/apis/example.com/v1/namespaces/default/widgets'
  await client.create(path, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { a: '1' } })
  await client.patch(`${CRDS}/${NAME}`, { spec: widgets({ v1: { c: { type: 'string' } }, v2: withDefault }).spec })
  const read = await client.get<KubeObject>(`${path}/w`)
  assert.deepEqual(read.spec, { a: '1', c: 'C' })
  await client.patch(`${CRDS}/${NAME}`, { spec: widgets({ v1: withDefault, v2: { c: { type: 'string' } } }).spec })
  assert.deepEqual((await client.get<KubeObject>(`${path}/w`)).spec, { a: '1' })
})

test('CustomResources: ends watches when the definition changes', async (t) => {
  const { client } = await testServer(t)
  await define(client, widgets({}))
  const path = '/apis/example.com/v2/namespaces/default/widgets'
  await client.create(path, { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } })
  const watch = client.watch(path, new AbortController().signal)
  assert.equal((await watch.next()).value?.type, 'ADDED')
  await client.patch(`${CRDS}/${NAME}`, { spec: widgets({ v2: withDefault }).spec })
  assert.equal((await watch.next()).done, true)
})

test('customLogic: warns about finalizers without a domain', async (t) => {
  const { client } = await testServer(t)
  await define(client, widgets({}))
  const metadata = { name: 'w', finalizers: ['plain', 'example.com', 'example.com/good'] }
  const reply = await client.request({
    method: 'POST',
    path: '/apis/example.com/v2/namespaces/default/widgets?dryRun=All',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'example.com/v2', kind: 'Widget', metadata }),
  })
  const why = 'to avoid accidental conflicts with other finalizer writers'
  assert.deepEqual(reply.headers.warning, [
    `299 - "metadata.finalizers: \\"plain\\": prefer a domain-qualified finalizer name ${why}"`,
    `299 - "metadata.finalizers: \\"example.com\\": prefer a domain-qualified finalizer name including a path (/) ${why}"`,
  ])
})

test('customLogic: shows the default status of a new object in responses, dry runs and reads', async (t) => {
  const { client } = await testServer(t)
  const phase = { type: 'string', default: 'Pending' }
  const status = { type: 'object', default: {}, properties: { phase } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' }, status } } }
  await define(client, {
    metadata: { name: NAME },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  })
  const path = '/apis/example.com/v1/namespaces/default/widgets'
  const widget = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } })
  const replies = [
    await client.create(`${path}?dryRun=All`, { ...widget('a'), status: { phase: 'Mine' } }),
    await client.create(path, { ...widget('a'), status: { phase: 'Mine' } }),
    await client.get(`${path}/a`),
    await client.patch(`${path}/b?fieldManager=m&dryRun=All`, widget('b'), 'apply'),
    await client.patch(`${path}/b?fieldManager=m`, widget('b'), 'apply'),
    await client.patch(`${path}/b?fieldManager=m&dryRun=All`, { ...widget('b'), spec: {} }, 'apply'),
    ...(await client.get<{ items: KubeObject[] }>(path)).items,
  ]
  for (const [index, reply] of replies.entries()) assert.deepEqual(reply.status, { phase: 'Pending' }, `${index}`)
  const again = await client.patch(`${path}/b?fieldManager=m`, widget('b'), 'apply')
  assert.equal(again.metadata.resourceVersion, replies[4]?.metadata.resourceVersion, 'the default is no change')
})
