import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AUTO_UPDATE_ANNOTATION,
  CLUSTER_SET_LABEL,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from '@orrery/api'
import { Event } from '@orrery/kinds'
import { findCondition, jsonEqual } from '@orrery/kinds/values'
import { createCluster } from './clusters.js'
import { HubServer } from './hub-server.js'

const says =
  (type: string, status: string, reason: string, message = '') =>
  ({
    status: state,
  }: {
    status?: { conditions?: readonly { type: string; status: string; reason: string; message: string }[] }
  }) => {
    const found = findCondition(state?.conditions, type)
    return found?.status === status && found.reason === reason && found.message === message
  }

test('cluster sets: report the number of their clusters', async (t) => {
  const hub = await HubServer.start(t)
  await hub.client.create(ManagedClusterSet, { metadata: { name: 'prod' } })
  const isEmpty = says('ClusterSetEmpty', 'True', 'NoClusterMatched', 'No ManagedCluster selected')
  await hub.when(ManagedClusterSet, { name: 'prod' }, isEmpty)
  for (const name of ['a', 'b']) await createCluster(hub, name)
  await hub.client.patch(ManagedCluster, { name: 'a' }, { metadata: { labels: { [CLUSTER_SET_LABEL]: 'prod' } } })
  const hasOne = says('ClusterSetEmpty', 'False', 'ClustersSelected', '1 ManagedClusters selected')
  await hub.when(ManagedClusterSet, { name: 'prod' }, hasOne)
  await hub.client.patch(ManagedCluster, { name: 'a' }, { metadata: { labels: { [CLUSTER_SET_LABEL]: 'other' } } })
  await hub.when(ManagedClusterSet, { name: 'prod' }, isEmpty)
  const all = says('ClusterSetEmpty', 'False', 'ClustersSelected', '2 ManagedClusters selected')
  await hub.when(ManagedClusterSet, { name: 'global' }, all)
})

test('cluster sets: a selector selects matching clusters', async (t) => {
  const hub = await HubServer.start(t)
  const labelSelector = { matchExpressions: [{ key: 'region', operator: 'In', values: ['eu', 'us'] }] }
  await hub.client.create(ManagedClusterSet, {
    metadata: { name: 'west' },
    spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector } },
  })
  for (const [name, region] of [
    ['a', 'eu'],
    ['b', 'us'],
    ['c', 'ap'],
  ] as const) {
    await hub.client.create(ManagedCluster, { metadata: { name, labels: { region } }, spec: {} })
  }
  const hasTwo = says('ClusterSetEmpty', 'False', 'ClustersSelected', '2 ManagedClusters selected')
  await hub.when(ManagedClusterSet, { name: 'west' }, hasTwo)
})

test('cluster sets: the default sets are restored, unless that is disabled', async (t) => {
  const hub = await HubServer.start(t)
  const before = await hub.when(ManagedClusterSet, { name: 'global' })
  assert.deepEqual(before.spec.clusterSelector, { selectorType: 'LabelSelector', labelSelector: {} })
  await hub.client.delete(ManagedClusterSet, { name: 'global' })
  await hub.when(ManagedClusterSet, { name: 'global' }, ({ metadata }) => metadata.uid !== before.metadata.uid)
  const matchExpressions = [{ key: 'a', operator: 'Exists' }]
  const edited = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { a: 'b' }, matchExpressions } }
  await hub.client.patch(ManagedClusterSet, { name: 'global' }, { spec: { clusterSelector: edited } })
  await hub.when(ManagedClusterSet, { name: 'global' }, ({ spec }) =>
    jsonEqual(spec.clusterSelector, before.spec.clusterSelector),
  )
  await hub.client.patch(ManagedClusterSet, { name: 'default' }, { spec: { clusterSelector: edited } })
  await hub.when(ManagedClusterSet, { name: 'default' }, ({ spec }) => {
    return (
      spec.clusterSelector.selectorType === 'ExclusiveClusterSetLabel' && !('labelSelector' in spec.clusterSelector)
    )
  })
  const annotations = { [AUTO_UPDATE_ANNOTATION]: 'false' }
  await hub.client.patch(
    ManagedClusterSet,
    { name: 'default' },
    { metadata: { annotations }, spec: { clusterSelector: edited } },
  )
  await hub.settle()
  const left = await hub.client.get(ManagedClusterSet, { name: 'default' })
  assert.equal(left.spec.clusterSelector.selectorType, 'LabelSelector')
  await hub.eventually('all of that was reported', async () => {
    const { items } = await hub.client.list(Event)
    const told = items
      .filter(({ regarding }) => regarding?.kind === 'ManagedClusterSet')
      .map(({ reason = '' }) => reason)
    return [...new Set(told)].sort().join() === TOLD_OF_SETS.join()
  })
})

const TOLD_OF_SETS = [
  'DefaultManagedClusterSetCreated',
  'DefaultManagedClusterSetSpecRollbacked',
  'GlobalManagedClusterSetCreated',
  'GlobalManagedClusterSetSpecRollbacked',
]

test('cluster sets: without the gate there are no default sets', async (t) => {
  const hub = await HubServer.start(t, { features: { DefaultClusterSet: false } })
  await hub.settle()
  assert.deepEqual((await hub.client.list(ManagedClusterSet)).items, [])
})

test('cluster sets: a binding is bound while its set exists', async (t) => {
  const hub = await HubServer.start(t)
  const ref = { namespace: 'default', name: 'later' }
  await hub.client.create(ManagedClusterSetBinding, { metadata: ref, spec: { clusterSet: 'later' } })
  await hub.when(ManagedClusterSetBinding, ref, says('Bound', 'False', 'ClusterSetNotFound'))
  await hub.client.create(ManagedClusterSet, { metadata: { name: 'later' } })
  await hub.when(ManagedClusterSetBinding, ref, says('Bound', 'True', 'ClusterSetBound'))
  await hub.client.delete(ManagedClusterSet, { name: 'later' })
  await hub.when(ManagedClusterSetBinding, ref, says('Bound', 'False', 'ClusterSetNotFound'))
})

test("cluster sets: a cluster gets the namespaces of its sets, and keeps its agent's status of them", async (t) => {
  const hub = await HubServer.start(t)
  const managedNamespaces = [{ name: 'team-b' }, { name: 'team-a' }]
  await hub.client.create(ManagedClusterSet, { metadata: { name: 'prod' }, spec: { managedNamespaces } })
  await hub.client.create(ManagedCluster, {
    metadata: { name: 'c', labels: { [CLUSTER_SET_LABEL]: 'prod' } },
    spec: {},
  })
  const names = ({ status }: ManagedCluster) =>
    (status?.managedNamespaces ?? []).map((one) => `${one.clusterSet}/${one.name}`)
  const told = await hub.when(ManagedCluster, { name: 'c' }, (cluster) => names(cluster).length === 2)
  assert.deepEqual(names(told), ['prod/team-a', 'prod/team-b'])
  const condition = {
    type: 'NamespaceAvailable',
    status: 'True' as const,
    reason: 'NamespaceApplied',
    message: 'there',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  const reported = (told.status?.managedNamespaces ?? []).map((one) => ({ ...one, conditions: [condition] }))
  await hub.client.patch(
    ManagedCluster,
    { name: 'c' },
    { status: { managedNamespaces: reported } },
    { subresource: 'status' },
  )
  await hub.client.patch(ManagedClusterSet, { name: 'prod' }, { spec: { managedNamespaces: [{ name: 'team-a' }] } })
  const after = await hub.when(ManagedCluster, { name: 'c' }, (cluster) => names(cluster).length === 1)
  assert.equal(after.status?.managedNamespaces?.[0]?.conditions?.[0]?.reason, 'NamespaceApplied')
  await hub.client.patch(ManagedCluster, { name: 'c' }, { metadata: { labels: { [CLUSTER_SET_LABEL]: 'other' } } })
  await hub.when(ManagedCluster, { name: 'c' }, (cluster) => names(cluster).length === 0)
})
