import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CLEANUP_PRIORITY_ANNOTATION,
  CLUSTER_RESOURCES_FINALIZER,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { hasFinalizer, Informers } from '@orrery/kube'
import { acceptedCluster } from './clusters.js'
import { HubServer } from './hub-server.js'

const HELD = 'example.com/held'

const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' } }

function createWork(hub: HubServer, namespace: string, name: string, priority?: string, finalizers: string[] = []) {
  const annotations = priority === undefined ? {} : { [CLEANUP_PRIORITY_ANNOTATION]: priority }
  return hub.client.create(ManifestWork, {
    metadata: { namespace, name, annotations, finalizers },
    spec: { workload: { manifests: [manifest] } },
  })
}

const deleting = ({ status }: ManagedCluster) => findCondition(status?.conditions, 'Deleting')

test('cluster cleanup: a detached cluster deletes its add-ons first, then its works by priority, then itself', async (t) => {
  const hub = await HubServer.start(t)
  await acceptedCluster(hub, 'c')
  await hub.client.create(ManagedClusterAddOn, {
    metadata: { namespace: 'c', name: 'addon', finalizers: [HELD] },
    spec: {},
  })
  await createWork(hub, 'c', 'last', '100')
  await createWork(hub, 'c', 'first', undefined, [HELD])
  await createWork(hub, 'c', 'odd', 'soon', [HELD])
  await hub.client.delete(ManagedCluster, { name: 'c' })
  const waiting = await hub.when(ManagedCluster, { name: 'c' }, (cluster) =>
    /is held by/.test(deleting(cluster)?.message ?? ''),
  )
  assert.equal(deleting(waiting)?.reason, 'ResourceRemaining')
  assert.match(
    deleting(waiting)?.message ?? '',
    /^The resource managedclusteraddons is remaining, the remaining count is 1, the finalizer pending count is 1: addon is held by example\.com\/held since /,
  )
  for (const name of ['last', 'first', 'odd']) {
    const work = await hub.client.get(ManifestWork, { namespace: 'c', name })
    assert.equal(work.metadata.deletionTimestamp, undefined)
  }
  const release = { metadata: { finalizers: null } }
  await hub.client.patch(ManagedClusterAddOn, { namespace: 'c', name: 'addon' }, release)
  const isGoing = ({ metadata }: ManifestWork) => metadata.deletionTimestamp !== undefined
  await hub.when(ManifestWork, { namespace: 'c', name: 'first' }, isGoing)
  await hub.when(ManifestWork, { namespace: 'c', name: 'odd' }, isGoing)
  assert.equal(isGoing(await hub.client.get(ManifestWork, { namespace: 'c', name: 'last' })), false)
  await hub.client.patch(ManifestWork, { namespace: 'c', name: 'first' }, release)
  await hub.client.patch(ManifestWork, { namespace: 'c', name: 'odd' }, release)
  await hub.whenGone(ManifestWork, { namespace: 'c', name: 'last' })
  await hub.whenGone(ManagedCluster, { name: 'c' })
})

test('cluster cleanup: works deleted one after the other are not reported each', async (t) => {
  const hub = await HubServer.start(t)
  await acceptedCluster(hub, 'c')
  const names = Array.from({ length: 30 }, (_, at) => `w${at}`)
  for (const name of names) await createWork(hub, 'c', name, undefined, [HELD])
  await hub.client.delete(ManagedCluster, { name: 'c' })
  const isGoing = ({ metadata }: ManifestWork) => metadata.deletionTimestamp !== undefined
  for (const name of names) await hub.when(ManifestWork, { namespace: 'c', name }, isGoing)
  await hub.settle()
  const informers = new Informers(hub.client)
  t.after(() => informers.close())
  const messages = new Set<string>()
  informers.of(ManagedCluster).subscribe(({ after }) => {
    if (after !== undefined) messages.add(deleting(after)?.message ?? '')
  })
  await informers.whenSynced()
  for (const name of names) {
    await hub.client.patch(ManifestWork, { namespace: 'c', name }, { metadata: { finalizers: null } })
  }
  await hub.whenGone(ManagedCluster, { name: 'c' })
  assert.ok(messages.size <= 3, [...messages].join('\n'))
})

test('cluster cleanup: deletes what is left of a cluster that was force-deleted', async (t) => {
  const hub = await HubServer.start(t)
  await acceptedCluster(hub, 'c')
  await hub.client.create(ManagedClusterAddOn, {
    metadata: { namespace: 'c', name: 'addon', finalizers: [HELD] },
    spec: {},
  })
  await createWork(hub, 'c', 'work')
  await hub.client.delete(ManagedCluster, { name: 'c' })
  const release = { metadata: { finalizers: null } }
  await hub.client.patch(ManagedCluster, { name: 'c' }, release)
  await hub.whenGone(ManagedCluster, { name: 'c' })
  const addon = { namespace: 'c', name: 'addon' }
  await hub.when(ManagedClusterAddOn, addon, ({ metadata }) => metadata.deletionTimestamp !== undefined)
  await hub.client.patch(ManagedClusterAddOn, addon, release)
  await hub.settle()
  hub.clock.advance(5_000)
  await hub.whenGone(ManifestWork, { namespace: 'c', name: 'work' })
})

test('cluster cleanup: without the gate a cluster is deleted alone, and a held one is released', async (t) => {
  const hub = await HubServer.start(t, { features: { ResourceCleanup: false } })
  await acceptedCluster(hub, 'c')
  await createWork(hub, 'c', 'stays')
  await hub.client.delete(ManagedCluster, { name: 'c' })
  await hub.settle()
  assert.ok(await hub.client.find(ManifestWork, { namespace: 'c', name: 'stays' }))
  const metadata = { name: 'held', finalizers: [CLUSTER_RESOURCES_FINALIZER] }
  await hub.client.create(ManagedCluster, { metadata, spec: {} })
  await hub.when(ManagedCluster, { name: 'held' }, (cluster) => !hasFinalizer(cluster, CLUSTER_RESOURCES_FINALIZER))
})
