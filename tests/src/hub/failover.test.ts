import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  DEFAULT_CLUSTER_SET,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSetBinding,
  type NewPlacementFailover,
  Placement,
  PlacementFailover,
  type PlacementSpec,
  SCORE_UPDATED,
} from '@orrery/api'
import { Event, Namespace } from '@orrery/kinds'
import { findCondition, formatTime } from '@orrery/kinds/values'
import { availableCluster, renew } from './clusters.js'
import { HubServer } from './hub-server.js'
import { createSet, isAt, NAMESPACE, worksByCluster } from './works.js'

const FEATURES = { ManifestWorkReplicaSet: true, ClusterScores: true, DefaultClusterSet: true }
const ref = { namespace: NAMESPACE, name: 'p1' }
const CLUSTERS = ['c1', 'c2', 'c3']

/** A hub with three available clusters, a placement, and a work on its clusters. */
async function startFleet(t: TestContext, spec: Partial<PlacementSpec> = {}): Promise<HubServer> {
  const hub = await HubServer.start(t, { features: FEATURES })
  await hub.client.create(Namespace, { metadata: { name: NAMESPACE } })
  for (const name of CLUSTERS) {
    await availableCluster(hub, name)
    const labels = { 'cluster.open-cluster-management.io/clusterset': DEFAULT_CLUSTER_SET }
    await hub.client.patch(ManagedCluster, { name }, { metadata: { labels } })
    await renew(hub, name)
    await reportNodes(hub, name, 100)
  }
  const binding = { namespace: NAMESPACE, name: DEFAULT_CLUSTER_SET }
  await hub.client.create(ManagedClusterSetBinding, { metadata: binding, spec: { clusterSet: DEFAULT_CLUSTER_SET } })
  await hub.client.create(Placement, { metadata: ref, spec: spec as never })
  await createSet(hub, 'web', { placements: ['p1'] })
  for (const name of CLUSTERS) await healthIs(hub, name, 100)
  return hub
}

/** The agent of a cluster reports the share of its nodes that are ready. */
async function reportNodes(hub: HubServer, cluster: string, score: number): Promise<void> {
  const agent = hub.asAgent(cluster)
  const metadata = { namespace: cluster, name: `${cluster}-nodehealth` }
  const object =
    (await agent.find(ManagedClusterScore, metadata)) ?? (await agent.create(ManagedClusterScore, { metadata }))
  const time = formatTime(hub.clock.now())
  const condition = { type: SCORE_UPDATED, status: 'True' as const, reason: SCORE_UPDATED, message: '' }
  const status = { score, conditions: [{ ...condition, lastTransitionTime: time, lastUpdateTime: time }] }
  await agent.update(ManagedClusterScore, { ...object, status }, { subresource: 'status' })
}

async function healthIs(hub: HubServer, cluster: string, score: number): Promise<void> {
  const name = `${cluster}-clusterhealth`
  await hub.when(ManagedClusterScore, { namespace: cluster, name }, ({ status }) => status?.score === score)
}

/** Lets time pass. Agents renew their leases, and report the health of their nodes. */
async function after(hub: HubServer, minutes: number, nodes: Readonly<Record<string, number>> = {}): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    hub.clock.advance(60_000)
    for (const name of CLUSTERS) {
      await renew(hub, name)
      await reportNodes(hub, name, nodes[name] ?? 100)
    }
    await hub.settle()
  }
}

function createFailover(hub: HubServer, name = 'web', spec: Partial<NewPlacementFailover['spec']> = {}) {
  const metadata = { namespace: NAMESPACE, name }
  return hub.client.create(PlacementFailover, { metadata, spec: { placementRef: { name: 'p1' }, ...spec } })
}

const failover = { namespace: NAMESPACE, name: 'web' }
const isReady = ({ status }: PlacementFailover) => findCondition(status?.conditions, 'Ready')?.status === 'True'
const excludes =
  (...names: string[]) =>
  ({ status }: PlacementFailover) =>
    status?.excluded?.map(({ clusterName }) => clusterName).join() === names.join()

test('failover: the works of a failing cluster move off, and come back when it has recovered', async (t) => {
  const hub = await startFleet(t)
  await createFailover(hub)
  await hub.when(PlacementFailover, failover, isReady)
  await isAt(hub, '1', 'c1', 'c2', 'c3')
  await reportNodes(hub, 'c1', 20)
  await healthIs(hub, 'c1', 20)
  await hub.when(PlacementFailover, failover, ({ status }) => status?.pending?.[0]?.clusterName === 'c1')
  await isAt(hub, '1', 'c1', 'c2', 'c3')
  await after(hub, 2, { c1: 20 })
  const { status } = await hub.when(PlacementFailover, failover, excludes('c1'))
  assert.equal(status?.numberOfExcludedClusters, 1)
  assert.equal(status?.excluded?.[0]?.reason, 'ClusterHealth is 20, and was below 50 for 60s')
  await isAt(hub, '1', 'c2', 'c3')
  await after(hub, 4)
  await isAt(hub, '1', 'c2', 'c3')
  await after(hub, 3)
  await hub.when(PlacementFailover, failover, excludes())
  await isAt(hub, '1', 'c1', 'c2', 'c3')
  await hub.stopControllers()
  const { items } = await hub.client.list(Event, { namespace: NAMESPACE })
  const notes = items.filter(({ regarding }) => regarding?.kind === 'PlacementFailover').map(({ reason }) => reason)
  assert.deepEqual(notes.sort(), ['ClusterLeft', 'ClusterReturned'])
})

test('failover: a placement of one cluster moves to another, and never to one that fails', async (t) => {
  const hub = await startFleet(t, { numberOfClusters: 1 })
  await createFailover(hub)
  await hub.eventually('the work is on one cluster', async () => (await worksByCluster(hub)).size === 1)
  const [first = ''] = (await worksByCluster(hub)).keys()
  const [second = '', third = ''] = CLUSTERS.filter((name) => name !== first)
  await after(hub, 3, { [first]: 0, [second]: 0 })
  await isAt(hub, '1', third)
  const { status } = await hub.client.get(PlacementFailover, failover)
  assert.deepEqual(status?.excluded?.map(({ clusterName }) => clusterName).sort(), [first, second].sort())
})

test('failover: nothing moves when all clusters fail, and the condition Limited has the reason', async (t) => {
  const hub = await startFleet(t)
  await createFailover(hub, 'web', { maxMoves: 10 })
  await isAt(hub, '1', 'c1', 'c2', 'c3')
  await after(hub, 3, { c1: 0, c2: 0, c3: 0 })
  await isAt(hub, '1', 'c1', 'c2', 'c3')
  const { status } = await hub.client.get(PlacementFailover, failover)
  const limited = findCondition(status?.conditions, 'Limited')
  assert.deepEqual([limited?.status, limited?.reason], ['True', 'MinClustersReached'])
})

test('failover: at most maxMoves clusters leave within the interval', async (t) => {
  const hub = await startFleet(t)
  await createFailover(hub)
  await isAt(hub, '1', 'c1', 'c2', 'c3')
  await after(hub, 2, { c1: 10, c2: 0 })
  await isAt(hub, '1', 'c1', 'c3')
  const { status } = await hub.client.get(PlacementFailover, failover)
  assert.equal(findCondition(status?.conditions, 'Limited')?.reason, 'MaxMovesReached')
  await after(hub, 5, { c1: 10, c2: 0 })
  await isAt(hub, '1', 'c3')
})

test('failover: clusters return at once when the failover is deleted', async (t) => {
  const hub = await startFleet(t)
  await createFailover(hub)
  await after(hub, 2, { c1: 0 })
  await isAt(hub, '1', 'c2', 'c3')
  await hub.client.delete(PlacementFailover, failover)
  await isAt(hub, '1', 'c1', 'c2', 'c3')
})

test('failover: reports a missing placement, a second failover, and missing scores', async (t) => {
  const hub = await startFleet(t)
  const reasonOf = async (name: string, reason: string) => {
    const found = await hub.when(PlacementFailover, { namespace: NAMESPACE, name }, ({ status }) => {
      return findCondition(status?.conditions, 'Ready')?.reason === reason
    })
    return findCondition(found.status?.conditions, 'Ready')?.message
  }
  await createFailover(hub, 'lost', { placementRef: { name: 'p2' } })
  assert.equal(await reasonOf('lost', 'PlacementNotFound'), 'Placement p2 does not exist')
  await createFailover(hub, 'web', { score: { calculator: 'Latency' } })
  assert.match((await reasonOf('web', 'NoScores')) ?? '', /^No candidate of the placement has a valid score Latency/)
  await createFailover(hub, 'web-2')
  assert.match((await reasonOf('web-2', 'PlacementTaken')) ?? '', /^PlacementFailover web is older/)
  await hub.client.delete(PlacementFailover, failover)
  await reasonOf('web-2', 'Evaluated')
})
