import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { Crd } from '../crd/types.js'
import { startInnerServer } from '../testing/inner-server.fixture.js'
import { customResourceDefinitions } from './crd.js'
import { CRDS } from './resources.js'

const definition = (plural: string, kind: string, shortNames: string[] = []): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind, shortNames },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})

const says = (type: string, status: string) => (crd: KubeObject | undefined) =>
  crd !== undefined && findCondition((crd as Crd).status?.conditions, type)?.status === status

test('customResourceDefinitions: serves the resource by the time its definition is established', async (t) => {
  const server = await startInnerServer(t, { controllers: [customResourceDefinitions], namespaces: ['a'] })
  await server.client.create(CRDS, definition('widgets', 'Widget'))
  await server.eventually(CRDS, '', 'widgets.example.com', says('Established', 'True'))
  assert.ok(server.catalog.lookup('example.com', 'v1', 'widgets'))
})

test('customResourceDefinitions: accepts a conflicting name for one definition, and for the other after the first is deleted', async (t) => {
  const server = await startInnerServer(t, { controllers: [customResourceDefinitions] })
  await server.client.create(CRDS, definition('widgets', 'Widget', ['w']))
  await server.eventually(CRDS, '', 'widgets.example.com', says('Established', 'True'))
  await server.client.create(CRDS, definition('wheels', 'Wheel', ['w']))
  await server.eventually(CRDS, '', 'wheels.example.com', says('NamesAccepted', 'False'))
  await server.client.delete(CRDS, '', 'widgets.example.com')
  await server.eventually(CRDS, '', 'wheels.example.com', says('NamesAccepted', 'True'))
  assert.equal(server.client.get(CRDS, '', 'widgets.example.com'), undefined)
  assert.equal(server.catalog.lookup('example.com', 'v1', 'widgets'), undefined)
})

test('customResourceDefinitions: does not accept the same name for concurrent definitions', async (t) => {
  const server = await startInnerServer(t, { controllers: [customResourceDefinitions] })
  await Promise.all([
    server.client.create(CRDS, definition('widgets', 'Widget', ['w'])),
    server.client.create(CRDS, definition('wheels', 'Wheel', ['w'])),
  ])
  const settled = (crd: KubeObject | undefined) =>
    findCondition((crd as Crd).status?.conditions, 'NamesAccepted') !== undefined
  const crds = await Promise.all([
    server.eventually(CRDS, '', 'widgets.example.com', settled),
    server.eventually(CRDS, '', 'wheels.example.com', settled),
  ])
  const statuses = crds.map((crd) => findCondition((crd as Crd).status?.conditions, 'NamesAccepted')?.status)
  assert.deepEqual(statuses.sort(), ['False', 'True'])
})

test('customResourceDefinitions: deletes a definition after its objects, however long that takes', async (t) => {
  const server = await startInnerServer(t, { controllers: [customResourceDefinitions], namespaces: ['a', 'b'] })
  const { client } = server
  await client.create(CRDS, definition('widgets', 'Widget'))
  await server.eventually(CRDS, '', 'widgets.example.com', says('Established', 'True'))
  const widgets = { group: 'example.com', resource: 'widgets' }
  const widget = (namespace: string, finalizers: string[]) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace, name: 'w', finalizers },
  })
  await client.create(widgets, widget('a', []))
  await client.create(widgets, widget('b', ['example.com/hold']))
  await client.delete(CRDS, '', 'widgets.example.com')
  await server.eventually(widgets, 'a', 'w', (object) => object === undefined)
  await server.eventually(widgets, 'b', 'w', (object) => object?.metadata.deletionTimestamp !== undefined)
  const held = client.get(CRDS, '', 'widgets.example.com') as Crd
  assert.equal(findCondition(held.status?.conditions, 'Terminating')?.reason, 'InstanceDeletionInProgress')
  await assert.rejects(
    client.create(widgets, widget('a', [])),
    /create not allowed while custom resource definition is terminating/,
  )
  await client.change(widgets, 'b', 'w', (live) => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
  await server.eventually(CRDS, '', 'widgets.example.com', (crd) => crd === undefined)
  assert.equal(server.catalog.lookup('example.com', 'v1', 'widgets'), undefined)
})
