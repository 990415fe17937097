import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { type InnerServer, startInnerServer } from '../../testing/inner-server.fixture.js'
import { CONFIG_MAPS, SECRETS } from '../resources.js'
import { garbageCollector } from './collector.js'

const NODES = { group: '', resource: 'nodes' }

const start = (t: test.TestContext) => startInnerServer(t, { controllers: [garbageCollector], namespaces: ['a', 'b'] })

const object = (name: string, owners: OwnerReference[] = [], extra: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'a', name, ...(owners.length > 0 && { ownerReferences: owners }), ...extra },
})

const ownerOf = ({ apiVersion, kind, metadata }: KubeObject, extra: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...extra,
})

const make = (server: InnerServer, name: string, owners?: OwnerReference[], extra?: object) =>
  server.client.create(CONFIG_MAPS, object(name, owners, extra))
const gone = (server: InnerServer, name: string) =>
  server.eventually(CONFIG_MAPS, 'a', name, (found) => found === undefined)
const read = (server: InnerServer, name: string) => server.client.get(CONFIG_MAPS, 'a', name)

test('garbageCollector: deletes dependents after their owner, and theirs after them', async (t) => {
  const server = await start(t)
  const owner = await make(server, 'owner')
  const child = await make(server, 'child', [ownerOf(owner)])
  await make(server, 'grandchild', [ownerOf(child)])
  await server.client.delete(CONFIG_MAPS, 'a', 'owner')
  await gone(server, 'grandchild')
  assert.equal(read(server, 'child'), undefined)
})

test('garbageCollector: immediately deletes an object whose owner never existed', async (t) => {
  const server = await start(t)
  await make(server, 'child', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'none' }])
  await gone(server, 'child')
})

test('garbageCollector: does not accept an owner with another UID', async (t) => {
  const server = await start(t)
  const owner = await make(server, 'owner')
  await make(server, 'child', [ownerOf(owner, { uid: 'of-an-earlier-one' })])
  await gone(server, 'child')
  assert.ok(read(server, 'owner'))
})

test('garbageCollector: does not accept an owner in another namespace', async (t) => {
  const server = await start(t)
  const secret = await server.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'b', name: 's' },
  })
  await make(server, 'child', [ownerOf(secret)])
  await gone(server, 'child')
})

test('garbageCollector: accepts a cluster-scoped owner of a namespaced object', async (t) => {
  const server = await start(t)
  const node = await server.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
  await make(server, 'child', [ownerOf(node)])
  await make(server, 'marker', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'none' }])
  await gone(server, 'marker')
  assert.ok(read(server, 'child'))
  await server.client.delete(NODES, '', 'n')
  await gone(server, 'child')
})

test('garbageCollector: deletes an object with its last owner and removes references to the first', async (t) => {
  const server = await start(t)
  const [one, two] = [await make(server, 'one'), await make(server, 'two')]
  await make(server, 'child', [ownerOf(one), ownerOf(two)])
  await server.client.delete(CONFIG_MAPS, 'a', 'one')
  await server.eventually(CONFIG_MAPS, 'a', 'child', (child) => child?.metadata.ownerReferences?.length === 1)
  assert.equal(read(server, 'child')?.metadata.ownerReferences?.[0]?.name, 'two')
  await server.client.delete(CONFIG_MAPS, 'a', 'two')
  await gone(server, 'child')
})

test('garbageCollector: waits with foreground deletion for blocking dependents', async (t) => {
  const server = await start(t)
  const owner = await make(server, 'owner')
  await make(server, 'blocks', [ownerOf(owner, { blockOwnerDeletion: true })], { finalizers: ['example.com/hold'] })
  await make(server, 'free', [ownerOf(owner)])
  await server.client.delete(CONFIG_MAPS, 'a', 'owner', { propagationPolicy: 'Foreground' })
  await gone(server, 'free')
  await server.eventually(CONFIG_MAPS, 'a', 'blocks', (child) => child?.metadata.deletionTimestamp !== undefined)
  assert.deepEqual(read(server, 'owner')?.metadata.finalizers, ['foregroundDeletion'])
  await server.client.change(CONFIG_MAPS, 'a', 'blocks', (live) => ({
    ...live,
    metadata: { ...live.metadata, finalizers: [] },
  }))
  await gone(server, 'owner')
  assert.equal(read(server, 'blocks'), undefined)
})

test('garbageCollector: does not wait with foreground deletion for objects in other namespaces', async (t) => {
  const server = await start(t)
  const owner = await make(server, 'owner')
  const elsewhere = ownerOf(owner, { apiVersion: 'example.com/v1', kind: 'Unknown', blockOwnerDeletion: true })
  await server.client.create(CONFIG_MAPS, object('hostile', [elsewhere], { namespace: 'b' }))
  await server.client.delete(CONFIG_MAPS, 'a', 'owner', { propagationPolicy: 'Foreground' })
  await gone(server, 'owner')
  assert.ok(server.client.get(CONFIG_MAPS, 'b', 'hostile'))
})

test('garbageCollector: deletes a whole tree before the root with foreground deletion', async (t) => {
  const server = await start(t)
  const root = await make(server, 'root')
  const child = await make(server, 'child', [ownerOf(root, { blockOwnerDeletion: true })])
  await make(server, 'leaf', [ownerOf(child, { blockOwnerDeletion: true })])
  const deleted: string[] = []
  server.store.subscribe((changes) => {
    for (const { type, entry } of changes) if (type === 'DELETED') deleted.push(entry.name)
  })
  await server.client.delete(CONFIG_MAPS, 'a', 'root', { propagationPolicy: 'Foreground' })
  await gone(server, 'root')
  assert.deepEqual(deleted, ['leaf', 'child', 'root'])
})

test('garbageCollector: keeps orphans without their owner', async (t) => {
  const server = await start(t)
  const owner = await make(server, 'owner')
  await make(server, 'child', [ownerOf(owner)])
  await server.client.delete(CONFIG_MAPS, 'a', 'owner', { propagationPolicy: 'Orphan' })
  await gone(server, 'owner')
  assert.equal(read(server, 'child')?.metadata.ownerReferences, undefined)
})

test('garbageCollector: orphans many dependents a few at a time', async (t) => {
  const server = await start(t)
  const owner = await make(server, 'owner')
  await Promise.all(Array.from({ length: 500 }, (_, index) => make(server, `child${index}`, [ownerOf(owner)])))
  let most = 0
  t.after(server.store.subscribe((changes) => (most = Math.max(most, changes.length))))
  await server.client.delete(CONFIG_MAPS, 'a', 'owner', { propagationPolicy: 'Orphan' })
  await gone(server, 'owner')
  assert.equal(read(server, 'child499')?.metadata.ownerReferences, undefined)
  assert.ok(most <= 200, `${most} changes in one commit`)
})

test('garbageCollector: deletes owners that own each other', async (t) => {
  const server = await start(t)
  const one = await make(server, 'one')
  const two = await make(server, 'two', [ownerOf(one, { blockOwnerDeletion: true })])
  await server.client.change(CONFIG_MAPS, 'a', 'one', (live) => ({
    ...live,
    metadata: { ...live.metadata, ownerReferences: [ownerOf(two, { blockOwnerDeletion: true })] },
  }))
  await server.client.delete(CONFIG_MAPS, 'a', 'one', { propagationPolicy: 'Foreground' })
  await gone(server, 'one')
  await gone(server, 'two')
})

test('garbageCollector: decides later about owners of unserved kinds', async (t) => {
  const server = await start(t)
  await make(server, 'child', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u' }])
  await make(server, 'marker', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'none' }])
  await gone(server, 'marker')
  assert.ok(read(server, 'child'))
})

test('garbageCollector: deletes on start what lost its owner while the server was stopped', async (t) => {
  const server = await startInnerServer(t, { namespaces: ['a'] })
  const owner = await make(server, 'owner')
  await make(server, 'child', [ownerOf(owner)])
  await server.client.delete(CONFIG_MAPS, 'a', 'owner')
  const collector = garbageCollector(server.context)
  t.after(() => collector.stop())
  collector.start()
  await gone(server, 'child')
})

test('garbageCollector: a namespace with many objects to delete does not delay those of another', async (t) => {
  const server = await startInnerServer(t, { namespaces: ['a', 'b'] })
  const nobody = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'none' }
  const count = 300
  for (let index = 0; index < count; index++) await make(server, `child-${index}`, [nobody])
  await make(server, 'child', [nobody], { namespace: 'b' })
  const deleted: string[] = []
  t.after(
    server.context.feed.on('configmaps', ({ type, entry }) => {
      if (type === 'DELETED') deleted.push(entry.namespace)
    }),
  )
  const collector = garbageCollector(server.context)
  t.after(() => collector.stop())
  collector.start()
  await collector.ready()
  assert.equal(deleted.length, count + 1)
  assert.ok(deleted.indexOf('b') < 200, `${deleted.indexOf('b')} of the other namespace were deleted first`)
})
