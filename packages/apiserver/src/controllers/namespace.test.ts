import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { isForbidden, isNotFound, StatusError } from '@orrery/kinds/values'
import { FakeClock } from '@orrery/kube/testing'
import { turns } from '../fairness/turns.js'
import { temporaryDirectory } from '../store/testing.fixture.js'
import { type InnerServer, startInnerServer } from '../testing/inner-server.fixture.js'
import { customResourceDefinitions } from './crd.js'
import { namespaces } from './namespace.js'
import { CONFIG_MAPS, CRDS, NAMESPACES, PODS } from './resources.js'
import { defaultServiceAccounts } from './service-account.js'
import { systemNamespaces } from './system-namespaces.js'

const configMap = (namespace: string, name: string, extra: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, ...extra },
})

const conditionOf = (namespace: KubeObject | undefined, type: string) =>
  ((namespace?.status ?? {}) as { conditions?: { type: string; status: string; message: string }[] }).conditions?.find(
    (condition) => condition.type === type,
  )

const isGone = (object: KubeObject | undefined) => object === undefined

test('namespaces: deletes the content of a deleted namespace', async (t) => {
  const server = await startInnerServer(t, {
    controllers: [namespaces, defaultServiceAccounts],
    namespaces: ['a', 'b'],
  })
  const { client } = server
  await Promise.all(Array.from({ length: 20 }, (_, i) => client.create(CONFIG_MAPS, configMap('a', `c${i}`))))
  await client.create(CONFIG_MAPS, configMap('b', 'kept'))
  await client.delete(NAMESPACES, '', 'a')
  await server.eventually(NAMESPACES, '', 'a', isGone)
  assert.equal(server.store.count('configmaps', 'a'), 0)
  assert.equal(server.store.count('serviceaccounts', 'a'), 0)
  assert.equal(server.store.count('configmaps', 'b'), 1)
})

test('namespaces: keeps the content for the grace period, in which it can be deleted individually', async (t) => {
  const server = await startInnerServer(t, {
    controllers: [namespaces],
    namespaces: ['a'],
    namespaceDeletionGraceSeconds: 5,
  })
  const { client, clock, store } = server
  for (const name of ['first', 'second']) await client.create(CONFIG_MAPS, configMap('a', name))
  await client.delete(NAMESPACES, '', 'a')
  clock.advance(4999)
  // Changes within the namespace do not shorten the grace period.
  await client.delete(CONFIG_MAPS, 'a', 'first')
  await store.flushed()
  assert.notEqual(client.get(CONFIG_MAPS, 'a', 'second'), undefined)
  assert.deepEqual(client.get(NAMESPACES, '', 'a')?.status, { phase: 'Terminating' })
  clock.advance(1)
  await server.eventually(NAMESPACES, '', 'a', isGone)
  assert.equal(store.count('configmaps', 'a'), 0)
})

test('namespaces: counts the grace period from the deletion, also across a restart', async (t) => {
  const directory = temporaryDirectory(t)
  const first = await startInnerServer(t, { directory, namespaces: ['a'] })
  await first.client.create(CONFIG_MAPS, configMap('a', 'c'))
  await first.client.delete(NAMESPACES, '', 'a')
  await first.close()
  const second = await startInnerServer(t, { directory, controllers: [namespaces], namespaceDeletionGraceSeconds: 5 })
  assert.notEqual(second.client.get(CONFIG_MAPS, 'a', 'c'), undefined)
  await second.close()
  const clock = new FakeClock()
  clock.advance(6000)
  const third = await startInnerServer(t, {
    directory,
    clock,
    controllers: [namespaces],
    namespaceDeletionGraceSeconds: 5,
  })
  await third.eventually(NAMESPACES, '', 'a', isGone)
})

test('namespaces: waits for a finalizer in the namespace and reports it in the status', async (t) => {
  const server = await startInnerServer(t, { controllers: [namespaces], namespaces: ['a'] })
  const { client } = server
  await client.create(CONFIG_MAPS, configMap('a', 'held', { finalizers: ['example.com/hold'] }))
  await client.delete(NAMESPACES, '', 'a')
  const held = await server.eventually(NAMESPACES, '', 'a', (namespace) => {
    return conditionOf(namespace, 'NamespaceContentRemaining')?.status === 'True'
  })
  assert.equal(
    conditionOf(held, 'NamespaceContentRemaining')?.message,
    'Some resources are remaining: configmaps. has 1 resource instances',
  )
  assert.equal(
    conditionOf(held, 'NamespaceFinalizersRemaining')?.message,
    'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  )
  assert.equal(conditionOf(held, 'NamespaceDeletionContentFailure')?.status, 'False')
  await client.change(CONFIG_MAPS, 'a', 'held', (live) => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
  await server.eventually(NAMESPACES, '', 'a', isGone)
})

test('namespaces: counts the remaining finalizers in turns', async (t) => {
  const server = await startInnerServer(t, { controllers: [namespaces], namespaces: ['a'] })
  const held = Array.from({ length: 600 }, (_, index) =>
    configMap('a', `c${index}`, { finalizers: ['example.com/hold'] }),
  )
  await Promise.all(held.map((one) => server.client.create(CONFIG_MAPS, one)))
  const taken = t.mock.method(turns, 'take')
  await server.client.delete(NAMESPACES, '', 'a')
  const counted = await server.eventually(NAMESPACES, '', 'a', (namespace) => {
    return conditionOf(namespace, 'NamespaceFinalizersRemaining')?.status === 'True'
  })
  assert.match(conditionOf(counted, 'NamespaceFinalizersRemaining')?.message ?? '', /example.com\/hold in 600 /)
  assert.ok(taken.mock.callCount() > 0)
})

test('namespaces: deletes pods before other content', async (t) => {
  const server = await startInnerServer(t, { controllers: [namespaces], namespaces: ['a'] })
  const { client } = server
  const spec = { containers: [{ name: 'c', image: 'i' }] }
  const metadata = { namespace: 'a', name: 'held', finalizers: ['example.com/hold'] }
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec })
  await client.create(CONFIG_MAPS, configMap('a', 'waits'))
  await client.delete(NAMESPACES, '', 'a')
  await server.eventually(NAMESPACES, '', 'a', (namespace) => {
    return conditionOf(namespace, 'NamespaceFinalizersRemaining')?.status === 'True'
  })
  assert.notEqual(client.get(PODS, 'a', 'held')?.metadata.deletionTimestamp, undefined)
  assert.equal(client.get(CONFIG_MAPS, 'a', 'waits')?.metadata.deletionTimestamp, undefined)
  await client.change(PODS, 'a', 'held', (live) => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
  await server.eventually(NAMESPACES, '', 'a', isGone)
})

test('namespaceLifecycle: refuses content in terminating and missing namespaces', async (t) => {
  const { client } = await startInnerServer(t, { namespaces: ['a'] })
  await client.create(CONFIG_MAPS, configMap('a', 'held', { finalizers: ['example.com/hold'] }))
  await client.delete(NAMESPACES, '', 'a')
  await assert.rejects(client.create(CONFIG_MAPS, configMap('a', 'late')), (error) => {
    assert.ok(isForbidden(error) && error instanceof StatusError)
    assert.equal(
      error.message,
      'configmaps "late" is forbidden: unable to create new content in namespace a because it is being terminated',
    )
    assert.deepEqual(error.status.details?.causes, [
      { reason: 'NamespaceTerminating', message: 'namespace a is being terminated', field: 'metadata.namespace' },
    ])
    return true
  })
  await assert.rejects(client.create(CONFIG_MAPS, configMap('nowhere', 'x')), isNotFound)
})

test('systemNamespaces: creates the system namespaces, and the immortal ones cannot be deleted', async (t) => {
  const server = await startInnerServer(t, { controllers: [systemNamespaces, namespaces] })
  const names = server.client.list(NAMESPACES).map(({ metadata }) => metadata.name)
  assert.deepEqual(names, ['default', 'kube-node-lease', 'kube-public', 'kube-system'])
  await assert.rejects(server.client.delete(NAMESPACES, '', 'default'), /this namespace may not be deleted/)
  const before = server.client.get(NAMESPACES, '', 'kube-node-lease')?.metadata.uid
  await server.client.delete(NAMESPACES, '', 'kube-node-lease')
  await server.eventually(NAMESPACES, '', 'kube-node-lease', (namespace) => {
    return namespace !== undefined && namespace.metadata.uid !== before
  })
})

test('namespaces: continues a deletion after a restart', async (t) => {
  const { mkdtemp, rm } = await import('node:fs/promises')
  const directory = await mkdtemp(join(tmpdir(), 'orrery-namespace-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const first = await startInnerServer(t, { directory, namespaces: ['a'] })
  await first.client.create(CONFIG_MAPS, configMap('a', 'c'))
  await first.client.delete(NAMESPACES, '', 'a')
  await first.close()
  const second = await startInnerServer(t, { directory, controllers: [namespaces] })
  await second.eventually(NAMESPACES, '', 'a', isGone)
})

test('namespaces: deletes custom resources', async (t) => {
  const server = await startInnerServer(t, { controllers: [customResourceDefinitions, namespaces], namespaces: ['a'] })
  const widgets = await defineWidgets(server)
  await server.client.create(widgets, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace: 'a', name: 'w' },
  })
  await server.client.delete(NAMESPACES, '', 'a')
  await server.eventually(NAMESPACES, '', 'a', isGone)
  assert.equal(server.store.count('widgets.example.com'), 0)
})

async function defineWidgets(server: InnerServer) {
  await server.client.create(CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  await server.eventually(CRDS, '', 'widgets.example.com', (crd) =>
    JSON.stringify(crd?.status).includes('InitialNamesAccepted'),
  )
  return { group: 'example.com', resource: 'widgets' }
}
