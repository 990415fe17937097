import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, failureOf, testServer } from '../testing/test-server.fixture.js'

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

test('apply: keeps separate owners for a claim and for its binding', async (t) => {
  const { client } = await testServer(t)
  await client.patch(`${VOLUMES}/v?fieldManager=author`, volume(claim), 'apply')
  await client.patch(`${VOLUMES}/v?fieldManager=binder`, { spec: { claimRef: { uid: 'u' } } })
  const again = await client.patch(`${VOLUMES}/v?fieldManager=author`, volume(claim), 'apply')
  assert.deepEqual((again.spec as { claimRef: unknown }).claimRef, { ...claim, uid: 'u' })
})

test('apply: does not conflict with a manager that owned a claim reference as a whole', async (t) => {
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

const WIDGETS = '/apis/example.com/v1/widgets'

async function widgetServer(t: Parameters<typeof testServer>[0]) {
  const { client } = await testServer(t)
  const object = { type: 'object', properties: { a: { type: 'string' } } }
  const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }
  const properties = {
    object,
    set,
    nullableObject: { ...object, nullable: true },
    nullableSet: { ...set, nullable: true },
    defaulted: { type: 'string', default: 'd' },
    untyped: { 'x-kubernetes-preserve-unknown-fields': true },
  }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } }
  await define(client, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  const apply = (spec: object) => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec }
    return client.patch(`${WIDGETS}/w?fieldManager=me`, widget, 'apply')
  }
  return { client, apply }
}

test('apply: refuses null for a typed field that is not nullable', async (t) => {
  const { client, apply } = await widgetServer(t)
  const spec = { object: { a: '1' }, set: ['a'] }
  await apply(spec)
  for (const [field, type] of Object.entries({ object: 'object', set: 'array' })) {
    const path = `spec.${field}`
    const refusal = await failureOf(apply({ ...spec, [field]: null }))
    assert.equal(refusal.code, 422)
    assert.equal(
      refusal.message,
      `Widget.example.com "w" is invalid: ${path}: Invalid value: "null": ${path} in body must be of type ${type}: "null"`,
    )
  }
  assert.deepEqual((await client.get(`${WIDGETS}/w`)).spec, { ...spec, defaulted: 'd' })
})

test('apply: stores null if it is allowed', async (t) => {
  const { apply } = await widgetServer(t)
  await apply({ nullableObject: { a: '1' }, nullableSet: ['a'] })
  const applied = await apply({ nullableObject: null, nullableSet: null, defaulted: null, untyped: null })
  assert.deepEqual(applied.spec, { nullableObject: null, nullableSet: null, defaulted: 'd' })
})

test('apply: does not remove the parent of a list with null', async (t) => {
  const { apply } = await widgetServer(t)
  await apply({ nullableSet: ['a'] })
  assert.deepEqual((await apply({ nullableSet: null })).spec, { nullableSet: null, defaulted: 'd' })
})

test('apply: succeeds for many concurrent applies of a new object, each with its own fields', async (t) => {
  const { client } = await testServer(t)
  const managers = Array.from({ length: 8 }, (_, index) => `m${index}`)
  const path = '/api/v1/namespaces/default/configmaps/shared'
  const config = (manager: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shared' },
    data: { [manager]: 'here' },
  })
  await Promise.all(managers.map((name) => client.patch(`${path}?fieldManager=${name}`, config(name), 'apply')))
  const { data } = await client.get(path)
  assert.deepEqual(Object.keys(data as object).sort(), managers)
})
