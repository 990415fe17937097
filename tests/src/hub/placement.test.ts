import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  Placement,
  PlacementDecision,
  SCHEDULING_DISABLED_ANNOTATION,
} from '@orrery/api'
import { Event } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { HubServer } from './hub-server.js'
import {
  APPS,
  decisionObjects,
  label,
  place,
  prodCluster,
  whenDecided,
  whenSatisfied,
  withProdSet,
} from './placements.js'

test('placement: writes decisions, the status and events', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub, 'c1', 'c2', 'c3')
  const placement = await place(hub, 'web', { numberOfClusters: 2 })
  await whenDecided(hub, 'web', 'c1', 'c2')
  const [decision, ...others] = await decisionObjects(hub, 'web')
  assert.equal(others.length, 0)
  assert.equal(decision?.metadata.name, 'web-decision-1')
  assert.deepEqual(decision?.metadata.labels, {
    'cluster.open-cluster-management.io/placement': 'web',
    'cluster.open-cluster-management.io/decision-group-index': '0',
    'cluster.open-cluster-management.io/decision-group-name': '',
  })
  assert.deepEqual(decision?.metadata.ownerReferences, [
    {
      apiVersion: 'cluster.open-cluster-management.io/v1beta1',
      kind: 'Placement',
      name: 'web',
      uid: placement.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ])
  assert.deepEqual(decision?.status?.decisions, [
    { clusterName: 'c1', reason: '' },
    { clusterName: 'c2', reason: '' },
  ])
  const { status } = await whenSatisfied(hub, 'web', 'AllDecisionsScheduled')
  assert.deepEqual(status?.decisionGroups, [
    { decisionGroupIndex: 0, decisionGroupName: '', decisions: ['web-decision-1'], clusterCount: 2 },
  ])
  assert.equal(findCondition(status?.conditions, 'PlacementMisconfigured')?.reason, 'Succeedconfigured')
  await hub.eventually('events report the decision', async () => {
    const { items } = await hub.client.list(Event, { namespace: APPS })
    const reasons = items.map(({ reason }) => reason).sort()
    return reasons.join() === 'DecisionCreate,DecisionUpdate,ScoreUpdate'
  })
  const { items } = await hub.client.list(Event, { namespace: APPS })
  const scores = items.find(({ reason }) => reason === 'ScoreUpdate')
  assert.equal(scores?.note, 'c1:100 c2:100 c3:100 ')
})

test('placement: follows sets, bindings and clusters, and reports why nothing is selected', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub)
  await place(hub, 'web', { clusterSets: ['prod'] })
  await whenSatisfied(hub, 'web', 'AllManagedClusterSetsEmpty')
  await prodCluster(hub, 'c1')
  await whenDecided(hub, 'web', 'c1')
  await prodCluster(hub, 'c2')
  await whenDecided(hub, 'web', 'c1', 'c2')
  await label(hub, 'c1', { prod: 'no' })
  await whenDecided(hub, 'web', 'c2')
  await hub.client.delete(ManagedCluster, { name: 'c2' })
  await whenDecided(hub, 'web')
  await label(hub, 'c1', { prod: 'yes' })
  await whenDecided(hub, 'web', 'c1')
  const selector = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { prod: 'later' } } }
  await hub.client.patch(ManagedClusterSet, { name: 'prod' }, { spec: { clusterSelector: selector } })
  await whenDecided(hub, 'web')
  await label(hub, 'c1', { prod: 'later' })
  await whenDecided(hub, 'web', 'c1')
  const binding = { namespace: APPS, name: 'prod' }
  await hub.client.delete(ManagedClusterSetBinding, binding)
  await whenSatisfied(hub, 'web', 'NoManagedClusterSetBindings')
  await hub.client.create(ManagedClusterSetBinding, { metadata: binding, spec: { clusterSet: 'prod' } })
  await whenDecided(hub, 'web', 'c1')
  await hub.client.patch(Placement, { namespace: APPS, name: 'web' }, { spec: { clusterSets: ['other'] } })
  await whenSatisfied(hub, 'web', 'NoIntersection')
  assert.equal((await decisionObjects(hub, 'web')).length, 1)
})

test('placement: a misconfigured placement selects nothing until it is repaired', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub, 'c1')
  await place(hub, 'web')
  await whenDecided(hub, 'web', 'c1')
  const ref = { namespace: APPS, name: 'web' }
  await hub.client.patch(Placement, ref, { spec: { tolerations: [{ operator: 'Equal', value: 'x' }] } })
  const { status } = await hub.when(
    Placement,
    ref,
    ({ status }) => findCondition(status?.conditions, 'PlacementMisconfigured')?.status === 'True',
  )
  assert.match(findCondition(status?.conditions, 'PlacementMisconfigured')?.message ?? '', /spec\.tolerations\[0\]/)
  await whenDecided(hub, 'web')
  await hub.client.patch(Placement, ref, { spec: { tolerations: null } })
  await whenDecided(hub, 'web', 'c1')
})

test('placement: an error in a decision group leaves the decisions of the groups before it', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub, 'c1', 'c2')
  await label(hub, 'c1', { ring: 'first' })
  const group = (groupName: string, labelSelector: object) => ({ groupName, groupClusterSelector: { labelSelector } })
  const invalid = group('invalid', { matchExpressions: [{ key: 'ring', operator: 'Near' }] })
  const decisionGroups = [group('first', { matchLabels: { ring: 'first' } }), invalid]
  await place(hub, 'web', { decisionStrategy: { groupStrategy: { decisionGroups } } })
  const { status } = await hub.when(
    Placement,
    { namespace: APPS, name: 'web' },
    ({ status }) => findCondition(status?.conditions, 'PlacementMisconfigured')?.status === 'True',
  )
  assert.match(findCondition(status?.conditions, 'PlacementMisconfigured')?.message ?? '', /decisionGroups\[1\]/)
  assert.equal(status?.numberOfSelectedClusters, 2)
  const decisions = await decisionObjects(hub, 'web')
  assert.deepEqual(
    decisions.flatMap((one) => one.status?.decisions.map(({ clusterName }) => clusterName)),
    ['c1'],
  )
})

test('placement: a name that is too long for a label of its decisions is an error', async (t) => {
  const hub = await HubServer.start(t)
  const name = 'p'.repeat(64)
  const placement = await hub.client.create(Placement, { metadata: { namespace: 'default', name }, spec: {} })
  const { status } = await hub.when(
    Placement,
    placement.metadata,
    (one) => findCondition(one.status?.conditions, 'PlacementMisconfigured')?.status === 'True',
  )
  const { message } = findCondition(status?.conditions, 'PlacementMisconfigured') ?? {}
  assert.match(message ?? '', /^metadata\.name: has 64 characters, and at most 63 are allowed/)
  const decisions = await hub.client.list(PlacementDecision, { namespace: 'default' })
  assert.deepEqual(decisions.items, [])
})

test('placement: divides many clusters into objects of 100, and deletes those that are no longer needed', async (t) => {
  const hub = await HubServer.start(t)
  const names = Array.from({ length: 120 }, (_, index) => `c${1000 + index}`)
  await withProdSet(hub, ...names)
  await place(hub, 'all')
  await whenDecided(hub, 'all', ...names)
  const sizes = (await decisionObjects(hub, 'all')).map(({ status }) => status?.decisions.length)
  assert.deepEqual(sizes, [100, 20])
  await hub.client.patch(Placement, { namespace: APPS, name: 'all' }, { spec: { numberOfClusters: 3 } })
  await whenDecided(hub, 'all', ...names.slice(0, 3))
  await hub.whenGone(PlacementDecision, { namespace: APPS, name: 'all-decision-2' })
})

test('placement: leaves placements alone that another scheduler decides', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub, 'c1')
  const annotations = { [SCHEDULING_DISABLED_ANNOTATION]: 'true' }
  const metadata = { namespace: APPS, name: 'web', annotations }
  await hub.client.create(Placement, { metadata, spec: {} })
  await place(hub, 'other')
  await whenDecided(hub, 'other', 'c1')
  assert.deepEqual(await decisionObjects(hub, 'web'), [])
  await hub.client.patch(Placement, metadata, { metadata: { annotations: { [SCHEDULING_DISABLED_ANNOTATION]: null } } })
  await whenDecided(hub, 'web', 'c1')
})

test('placement: restores decisions and labels that others have changed', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub, 'c1', 'c2')
  await place(hub, 'web', { numberOfClusters: 1 })
  await whenDecided(hub, 'web', 'c1')
  const ref = { namespace: APPS, name: 'web-decision-1' }
  const foreign = { decisions: [{ clusterName: 'nowhere', reason: 'mine' }] }
  await hub.client.patch(PlacementDecision, ref, { status: foreign }, { subresource: 'status' })
  await whenDecided(hub, 'web', 'c1')
  const indexLabel = 'cluster.open-cluster-management.io/decision-group-index'
  await hub.client.patch(PlacementDecision, ref, { metadata: { labels: { [indexLabel]: '7' } } })
  await hub.when(PlacementDecision, ref, ({ metadata }) => metadata.labels?.[indexLabel] === '0')
  await hub.client.delete(PlacementDecision, ref)
  await whenDecided(hub, 'web', 'c1')
  const status = { numberOfSelectedClusters: 9 }
  await hub.client.patch(Placement, { ...ref, name: 'web' }, { status }, { subresource: 'status' })
  await whenDecided(hub, 'web', 'c1')
  await hub.client.delete(Placement, { ...ref, name: 'web' })
  await hub.whenGone(PlacementDecision, ref)
})

test('placement: does nothing on a hub where the gate PlacementScheduling is off', async (t) => {
  const hub = await HubServer.start(t, { features: { PlacementScheduling: false } })
  await withProdSet(hub, 'c1')
  await place(hub, 'web')
  await hub.settle()
  assert.deepEqual(await decisionObjects(hub, 'web'), [])
})
