import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { jsonOf, type PathClient } from '../../testing/path-client.fixture.js'
import { define, failureOf, testServer } from '../../testing/test-server.fixture.js'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'

async function deployed(t: Parameters<typeof testServer>[0]): Promise<PathClient> {
  const { client } = await testServer(t)
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await client.create(DEPLOYMENTS, {
    metadata: { name: 'x' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  })
  return client
}

const scale = (replicas: number, more: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'x' },
  spec: { replicas, ...more },
})

function ownersOf(object: KubeObject): unknown[] {
  const { managedFields = [] } = object.metadata
  return managedFields
    .filter(({ subresource }: ManagedFieldsEntry) => subresource === 'scale')
    .map(({ manager, operation, apiVersion, fieldsV1 }) => ({ manager, operation, apiVersion, fieldsV1 }))
}

test('scale: shows and sets the replicas', async (t) => {
  const client = await deployed(t)
  const shown = await client.get(`${DEPLOYMENTS}/x/scale`)
  assert.deepEqual(shown.spec, { replicas: 1 })
  assert.deepEqual(shown.status, { replicas: 0, selector: 'a=b' })
  await client.update(`${DEPLOYMENTS}/x/scale`, scale(3))
  await client.patch(`${DEPLOYMENTS}/x/scale`, { spec: { replicas: 4 } })
  assert.equal(((await client.get(`${DEPLOYMENTS}/x`)).spec as { replicas: number }).replicas, 4)
})

test('scale: checks the name in the URL and the kind', async (t) => {
  const client = await deployed(t)
  const put = (body: object, query = '') => failureOf(client.update(`${DEPLOYMENTS}/x/scale${query}`, body))
  assert.match((await put({ ...scale(2), metadata: {} })).message, /name must be provided/)
  assert.match((await put({ ...scale(2), metadata: { name: 'y' } })).message, /does not match the name on the URL/)
  assert.equal((await put({ ...scale(2), metadata: { name: 'x', namespace: 'other' } })).code, 400)
  assert.match((await put({ ...scale(2), kind: 'Deployment', apiVersion: 'apps/v1' })).message, /handled as a Scale/)
  assert.equal((await put(scale(-1))).code, 422)
  assert.match((await put(scale(2, { more: 1 }), '?fieldValidation=Strict')).message, /unknown field "spec.more"/)
})

test('scale: returns a Table', async (t) => {
  const client = await deployed(t)
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const reply = await client.request({ method: 'GET', path: `${DEPLOYMENTS}/x/scale`, headers: { accept } })
  const { rows } = (await jsonOf(reply)) as { rows: { cells: unknown[] }[] }
  assert.deepEqual(rows[0]?.cells.slice(0, 3), ['x', 1, 0])
})

test('scale: gives the field manager that applies it the ownership of the replicas', async (t) => {
  const client = await deployed(t)
  await client.patch(`${DEPLOYMENTS}/x/scale?fieldManager=first`, { spec: { replicas: 2 } })
  const apply = (query: string) => client.patch(`${DEPLOYMENTS}/x/scale?${query}`, scale(5), 'apply')
  const conflict = await failureOf(apply('fieldManager=second'))
  assert.equal(conflict.code, 409)
  assert.match(conflict.message, /conflict with "first" with subresource "scale" using autoscaling\/v1/)
  await apply('fieldManager=second&force=true')
  assert.deepEqual(ownersOf(await client.get(`${DEPLOYMENTS}/x`)), [
    {
      manager: 'second',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    },
  ])
})

test('scale: uses the paths of a custom resource definition', async (t) => {
  const { client } = await testServer(t)
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } }
  const versions = [{ name: 'v1', served: true, storage: true, schema, subresources }]
  const spec = { group: 'example.test', scope: 'Namespaced', names, versions }
  await define(client, { metadata: { name: 'gadgets.example.test' }, spec })
  const gadgets = '/apis/example.test/v1/namespaces/default/gadgets'
  await client.create(gadgets, {
    apiVersion: 'example.test/v1',
    kind: 'Gadget',
    metadata: { name: 'x' },
    spec: { size: 1 },
  })
  await client.patch(`${gadgets}/x/scale?fieldManager=me&force=true`, scale(7), 'apply')
  const gadget = await client.get(`${gadgets}/x`)
  assert.deepEqual(gadget.spec, { size: 7 })
  assert.deepEqual(ownersOf(gadget), [
    {
      manager: 'me',
      operation: 'Apply',
      apiVersion: 'example.test/v1',
      fieldsV1: { 'f:spec': { 'f:size': {} } },
    },
  ])
})

test('scale: patches a cluster-scoped custom resource', async (t) => {
  const { client } = await testServer(t)
  const names = { plural: 'engines', singular: 'engine', kind: 'Engine', listKind: 'EngineList' }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const subresources = { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } }
  const versions = [{ name: 'v1', served: true, storage: true, schema, subresources }]
  const spec = { group: 'example.test', scope: 'Cluster', names, versions }
  await define(client, { metadata: { name: 'engines.example.test' }, spec })
  const engines = '/apis/example.test/v1/engines'
  const engine = { apiVersion: 'example.test/v1', kind: 'Engine', metadata: { name: 'x' }, spec: { size: 1 } }
  await client.create(engines, engine)
  const scaled = await client.patch(`${engines}/x/scale`, { spec: { replicas: 3 } })
  assert.deepEqual(scaled.spec, { replicas: 3 })
  assert.deepEqual((await client.get(`${engines}/x`)).spec, { size: 3 })
})

test('scale: takes the ownership of replicas over in every version', async (t) => {
  const { client } = await testServer(t)
  const version = (name: string, specReplicasPath: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    subresources: { scale: { specReplicasPath, statusReplicasPath: '.status.replicas' } },
  })
  await define(client, {
    metadata: { name: 'fleets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'fleets', kind: 'Fleet' },
      versions: [version('v1', '.spec.replicas', true), version('v1beta1', '.spec.replicas[0]', false)],
    },
  })
  const fleets = (version: string) => `/apis/example.com/${version}/fleets`
  const fleet = {
    apiVersion: 'example.com/v1beta1',
    kind: 'Fleet',
    metadata: { name: 'x' },
    spec: { 'replicas[0]': 3 },
  }
  await client.create(`${fleets('v1beta1')}?fieldManager=author`, fleet)
  await client.patch(`${fleets('v1beta1')}/x/scale?fieldManager=old`, { spec: { replicas: 4 } })
  await client.patch(`${fleets('v1')}/x/scale?fieldManager=new`, { spec: { replicas: 5 } })
  const scaled = await client.get(`${fleets('v1')}/x`)
  assert.deepEqual(scaled.spec, { 'replicas[0]': 4, replicas: 5 })
  const owned = { 'f:spec': { 'f:replicas': {} } }
  assert.deepEqual(ownersOf(scaled), [
    { manager: 'new', operation: 'Update', apiVersion: 'example.com/v1', fieldsV1: owned },
  ])
})

test('scale: leaves replicas without an owner if they had none before', async (t) => {
  const { client } = await testServer(t)
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  }
  await client.patch(`${DEPLOYMENTS}/x?fieldManager=author`, deployment, 'apply')
  await client.patch(`${DEPLOYMENTS}/x/scale?fieldManager=scaler`, { spec: { replicas: 4 } })
  assert.deepEqual(ownersOf(await client.get(`${DEPLOYMENTS}/x`)), [])
})
