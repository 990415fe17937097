import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf, testServer } from '../testing/test-server.fixture.js'
import { Catalog } from './catalog.js'
import type { KindLogic } from './kind-logic.js'

function logic(group: string, version: string, plural: string, storedVersion = version): KindLogic {
  const storage = { bucket: `${plural}.${group}`, version: storedVersion }
  return { resource: { group, version, plural, kind: plural, storage } } as unknown as KindLogic
}

test('Catalog: finds resources by version, by kind and by storage version', () => {
  const old = logic('g', 'v1', 'things', 'v2')
  const stored = logic('g', 'v2', 'things')
  const catalog = new Catalog([old, stored])
  assert.equal(catalog.lookup('g', 'v1', 'things'), old)
  assert.equal(catalog.lookup('g', 'v3', 'things'), undefined)
  assert.equal(catalog.stored('g', 'things'), stored)
  assert.equal(catalog.ofKind('g', 'things', 'v2'), stored)
  assert.equal(catalog.ofKind('g', 'others'), undefined)
})

test('Catalog: adds, changes and removes custom resources and notifies listeners', () => {
  const catalog = new Catalog([logic('g', 'v1', 'things')])
  let changes = 0
  const stop = catalog.onChange(() => changes++)
  catalog.setCustom('a.x', [logic('x', 'v1', 'a', 'v2')])
  assert.equal(catalog.stored('x', 'a')?.resource.version, 'v1')
  catalog.setCustom('a.x', [logic('x', 'v2', 'a')])
  assert.equal(catalog.lookup('x', 'v1', 'a'), undefined)
  assert.equal(catalog.stored('x', 'a')?.resource.version, 'v2')
  assert.equal(catalog.resources().length, 2)
  catalog.setCustom('a.x', [])
  assert.equal(catalog.stored('x', 'a'), undefined)
  assert.equal(catalog.resources(), catalog.resources())
  stop()
  catalog.setCustom('a.x', [])
  assert.equal(changes, 3)
})

test('Catalog: does not let a definition replace a built-in resource or delete its objects', async (t) => {
  const { client } = await testServer(t)
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const name = 'leases.coordination.k8s.io'
  const names = { plural: 'leases', singular: 'lease', kind: 'Lease', listKind: 'LeaseList' }
  const schema = { openAPIV3Schema: { type: 'object' } }
  await client.create('/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name: 'kept' } })
  await client.create(definitions, {
    metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
    spec: {
      group: 'coordination.k8s.io',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  for await (const { object } of client.watch(definitions)) {
    if (JSON.stringify(object.status ?? {}).includes('"Established","status":"True"')) break
  }
  await client.delete(`${definitions}/${name}`)
  for await (const { type } of client.watch(`${definitions}?fieldSelector=metadata.name=${name}&resourceVersion=1`)) {
    if (type === 'DELETED') break
  }
  assert.equal((await failureOf(client.get(`${definitions}/${name}`))).code, 404)
  const kept = await client.get('/apis/coordination.k8s.io/v1/namespaces/default/leases/kept')
  assert.equal(kept.kind, 'Lease')
})
