import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  ManagedCluster,
  ManifestWork,
  ManifestWorkReplicaSet,
  Placement,
  PlacementDecision,
  REPLICA_SET_FINALIZER,
  REPLICA_SET_LABEL,
  REPLICA_SET_PLACEMENT_LABEL,
} from '@orrery/api'
import { type KubeObject, Namespace } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'
import { addFinalizer } from '@orrery/kube'
import { createCluster } from './clusters.js'
import { HubServer } from './hub-server.js'
import {
  changeTemplate,
  condition,
  configMapWork,
  createSet,
  dataOf,
  decide,
  FEATURES,
  isAt,
  NAMESPACE,
  reportWork,
  withClusters,
  worksByCluster,
} from './works.js'

const set = { namespace: NAMESPACE, name: 'web' }

async function start(t: Parameters<typeof HubServer.start>[0], ...clusters: string[]): Promise<HubServer> {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, ...clusters)
  return hub
}

suite('replica set', () => {
  test('has a work on every selected cluster', async (t) => {
    const hub = await start(t, 'c1', 'c2', 'c3')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web', { labels: { team: 'blue' } })
    await condition(hub, 'web', 'PlacementVerified', 'AsExpected')
    const works = await worksByCluster(hub)
    assert.deepEqual([...works.keys()].sort(), ['c1', 'c2'])
    const work = works.get('c1') as ManifestWork
    assert.deepEqual(work.metadata.labels, {
      team: 'blue',
      [REPLICA_SET_LABEL]: 'apps.web',
      [REPLICA_SET_PLACEMENT_LABEL]: 'p1',
    })
    assert.match(work.metadata.name, /^web[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    assert.deepEqual(dataOf(work), { version: '1' })
    const { metadata } = await hub.client.get(ManifestWorkReplicaSet, set)
    assert.deepEqual(metadata.finalizers, [REPLICA_SET_FINALIZER])
  })

  test('looks at a placement once, however often it is referenced', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    await createSet(hub, 'web', { placements: Array.from({ length: 5_000 }, () => 'p1') })
    await condition(hub, 'web', 'PlacementVerified', 'AsExpected')
    const { status } = await hub.client.get(ManifestWorkReplicaSet, set)
    assert.deepEqual(
      status?.placementSummary?.map(({ name }) => name),
      ['p1'],
    )
  })

  test('aggregates the status of its works', async (t) => {
    const hub = await start(t, 'c1', 'c2', 'c3')
    await decide(hub, 'p1', ['c1', 'c2'], ['c3'])
    await createSet(hub, 'web')
    await condition(hub, 'web', 'ManifestworkApplied', 'Processing', /^3 of 3 works are up to date, 0 applied/)
    await condition(
      hub,
      'web',
      'PlacementRolledOut',
      'Progressing',
      /waiting for c1 \(its agent has not reported yet\), c2/,
    )
    await reportWork(hub, 'done', 'c1')
    await reportWork(hub, 'progressing', 'c2')
    await reportWork(hub, 'failed', 'c3')
    await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', /^1 of 3 works are degraded$/)
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /failed: c3 \(Degraded is True\); waiting for c2/)
    const summary = { desiredTotal: 3, total: 3, updated: 3, applied: 3, available: 3, progressing: 2, degraded: 1 }
    const { status } = await hub.client.get(ManifestWorkReplicaSet, set)
    assert.deepEqual(status?.summary, summary)
    assert.deepEqual(status?.placementSummary, [
      { name: 'p1', availableDecisionGroups: '2 (3 / 3 clusters applied)', summary },
    ])
    await reportWork(hub, 'done', 'c2', 'c3')
    await condition(hub, 'web', 'ManifestworkApplied', 'AsExpected')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })

  test('is complete on clusters whose agents do not report progress, unless a rule does', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    await createSet(hub, 'web')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing')
    await reportWork(hub, 'available', 'c1')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
    const resourceIdentifier = { group: '', resource: 'configmaps', name: 'settings', namespace: 'default' }
    const conditionRules = [{ type: 'CEL' as const, condition: 'Progressing', celExpressions: ['true'] }]
    await changeTemplate(hub, 'web', {
      ...configMapWork({ version: '2' }),
      manifestConfigs: [{ resourceIdentifier, conditionRules }],
    })
    await isAt(hub, '2', 'c1')
    await reportWork(hub, 'available', 'c1')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /c1 \(it has not reported success yet\)/)
  })

  test('writes nothing if nothing changes', async (t) => {
    const hub = await start(t, 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web')
    await condition(hub, 'web', 'PlacementVerified', 'AsExpected')
    await reportWork(hub, 'done', 'c1', 'c2')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
    await hub.settle()
    const versions = async () => [
      (await hub.client.get(ManifestWorkReplicaSet, set)).metadata.resourceVersion,
      ...[...(await worksByCluster(hub)).values()].map(({ metadata }) => metadata.resourceVersion),
    ]
    const before = await versions()
    await hub.stopControllers()
    await hub.startControllers()
    await hub.settle()
    assert.deepEqual(await versions(), before)
  })

  test('restores a work that was deleted or changed', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    await createSet(hub, 'web')
    await isAt(hub, '1', 'c1')
    const work = (await worksByCluster(hub)).get('c1') as ManifestWork
    await hub.client.patch(ManifestWork, work.metadata, { spec: configMapWork({ version: 'x' }) })
    await isAt(hub, '1', 'c1')
    await hub.client.delete(ManifestWork, work.metadata)
    await isAt(hub, '1', 'c1')
  })

  test('updates labels, also on clusters that wait for the template', async (t) => {
    const hub = await start(t, 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } } })
    await hub.settle()
    await reportWork(hub, 'done', 'c1')
    await hub.settle()
    await reportWork(hub, 'done', 'c2')
    await hub.client.patch(ManifestWorkReplicaSet, set, {
      metadata: { labels: { team: 'red' } },
      spec: { manifestWorkTemplate: configMapWork({ version: '2' }) },
    })
    await isAt(hub, '2', 'c1')
    assert.equal((await worksByCluster(hub)).get('c2')?.metadata.labels?.team, 'red')
  })
})

suite('works of another hub', () => {
  const made = (hub: HubServer, name: string, placement: string) =>
    hub.client.create(ManifestWork, {
      metadata: {
        namespace: 'c1',
        name,
        labels: { [REPLICA_SET_LABEL]: 'apps.web', [REPLICA_SET_PLACEMENT_LABEL]: placement },
      },
      spec: configMapWork({ version: '0' }),
    })

  test('are adopted, and of several for a cluster one stays, once it is applied', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    await made(hub, 'weba', 'p2')
    const kept = await made(hub, 'webb', 'p1')
    await createSet(hub, 'web')
    const current = async () => (await hub.client.list(ManifestWork, { namespace: 'c1' })).items
    await hub.when(ManifestWork, kept.metadata, (work) => dataOf(work).version === '1')
    await hub.settle()
    assert.equal((await current()).length, 2)
    await reportWork(hub, 'done', 'c1')
    await hub.eventually('one work is left', async () => (await current()).length === 1)
    assert.equal((await current())[0]?.metadata.uid, kept.metadata.uid)
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })
})

suite('a cluster that leaves', () => {
  test('loses its work, and others keep theirs', async (t) => {
    const hub = await start(t, 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web')
    await isAt(hub, '1', 'c1', 'c2')
    await decide(hub, 'p1', ['c2'])
    await hub.eventually('the work is gone', async () => !(await worksByCluster(hub)).has('c1'))
    await decide(hub, 'p1')
    await condition(hub, 'web', 'PlacementVerified', 'PlacementDecisionEmpty')
    await condition(hub, 'web', 'ManifestworkApplied', 'PlacementDecisionEmpty')
    await hub.eventually('no work is left', async () => (await worksByCluster(hub)).size === 0)
  })

  test('keeps its work while the placement rewrites its decisions', async (t) => {
    const hub = await start(t, 'c1', 'c2')
    await decide(hub, 'p1', ['c1'], ['c2'])
    await createSet(hub, 'web')
    await isAt(hub, '1', 'c1', 'c2')
    const first = { namespace: NAMESPACE, name: 'p1-decision-1' }
    await hub.client.patch(PlacementDecision, first, { status: { decisions: [] } }, { subresource: 'status' })
    await condition(
      hub,
      'web',
      'PlacementRolledOut',
      'Progressing',
      /p1 selects 2 clusters, and its decisions have 1 so far/,
    )
    await isAt(hub, '1', 'c1', 'c2')
    await decide(hub, 'p1', ['c2'])
    await hub.eventually('the work is gone', async () => !(await worksByCluster(hub)).has('c1'))
  })

  test('loses its work though the placement counts it, once the decisions are settled', async (t) => {
    const hub = await start(t, 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web')
    await isAt(hub, '1', 'c1', 'c2')
    const decision = { namespace: NAMESPACE, name: 'p1-decision-1' }
    const without = { status: { decisions: [{ clusterName: 'c2', reason: '' }] } }
    await hub.client.patch(PlacementDecision, decision, without, { subresource: 'status' })
    await isAt(hub, '1', 'c1', 'c2')
    hub.clock.advance(5_000)
    await isAt(hub, '1', 'c2')
  })

  test('keeps its work if the placement is deleted', async (t) => {
    const hub = await start(t, 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web')
    await isAt(hub, '1', 'c1', 'c2')
    await hub.client.delete(Placement, { namespace: NAMESPACE, name: 'p1' })
    await hub.whenGone(PlacementDecision, { namespace: NAMESPACE, name: 'p1-decision-1' })
    await condition(hub, 'web', 'PlacementVerified', 'PlacementDecisionNotFound', /^placement p1 does not exist$/)
    await isAt(hub, '1', 'c1', 'c2')
    const { status } = await hub.client.get(ManifestWorkReplicaSet, set)
    assert.equal(status?.summary?.total, 2)
  })
})

test('replica set: reports a placement without decisions as empty', async (t) => {
  const hub = await start(t, 'c1')
  await hub.client.create(Placement, { metadata: { namespace: NAMESPACE, name: 'p1' }, spec: {} })
  await createSet(hub, 'web')
  await condition(hub, 'web', 'PlacementVerified', 'PlacementDecisionEmpty', /^placement p1 has no decisions yet$/)
  await condition(hub, 'web', 'ManifestworkApplied', 'PlacementDecisionEmpty', /^placement p1 has no decisions yet$/)
  await decide(hub, 'p1', [])
  await condition(hub, 'web', 'ManifestworkApplied', 'PlacementDecisionEmpty', /^the placements select no clusters$/)
  await decide(hub, 'p1', ['c1'])
  await isAt(hub, '1', 'c1')
})

test('replica set: names placements that are missing in both conditions about them', async (t) => {
  const hub = await start(t, 'c1')
  await createSet(hub, 'web', { placements: ['p1', 'p2'] })
  const missing = /^placement p1 does not exist; placement p2 does not exist$/
  await condition(hub, 'web', 'PlacementVerified', 'PlacementDecisionNotFound', missing)
  await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', missing)
  await hub.client.create(Placement, { metadata: { namespace: NAMESPACE, name: 'p1' }, spec: {} })
  const both = /^placement p1 has no decisions yet; placement p2 does not exist$/
  await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', both)
})

suite('several placements', () => {
  test('give a cluster one work, which outlives the placement it was created for', async (t) => {
    const hub = await start(t, 'c1', 'c2', 'c3')
    await decide(hub, 'p1', ['c1', 'c2'])
    await decide(hub, 'p2', ['c2', 'c3'])
    await createSet(hub, 'web', { placements: ['p1', 'p2'] })
    await isAt(hub, '1', 'c1', 'c2', 'c3')
    const placementOf = async (cluster: string) =>
      (await worksByCluster(hub)).get(cluster)?.metadata.labels?.[REPLICA_SET_PLACEMENT_LABEL]
    assert.equal(await placementOf('c2'), 'p1')
    const { status } = await hub.client.get(ManifestWorkReplicaSet, set)
    assert.equal(status?.summary?.total, 3)
    assert.deepEqual(
      status?.placementSummary?.map(({ summary }) => summary?.total),
      [2, 2],
    )
    const { uid } = ((await worksByCluster(hub)).get('c2') as ManifestWork).metadata
    await hub.client.patch(ManifestWorkReplicaSet, set, { spec: { placementRefs: [{ name: 'p2' }] } })
    await hub.eventually('the work is gone', async () => !(await worksByCluster(hub)).has('c1'))
    await isAt(hub, '1', 'c2', 'c3')
    assert.equal((await worksByCluster(hub)).get('c2')?.metadata.uid, uid)
    assert.equal(await placementOf('c2'), 'p2')
  })

  test('continue if one of them is missing', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p2', ['c1'])
    await createSet(hub, 'web', { placements: ['p1', 'p2'] })
    await condition(hub, 'web', 'PlacementVerified', 'PlacementDecisionNotFound', /^placement p1 does not exist$/)
    await isAt(hub, '1', 'c1')
  })
})

suite('invalid cases', () => {
  test('a name that fits into no label is reported', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    const name = 'w'.repeat(60)
    await createSet(hub, name)
    await condition(
      hub,
      name,
      'ManifestworkApplied',
      'InvalidManifestWorkName',
      /must be no more than 63 .*shorter name$/,
    )
    assert.equal((await worksByCluster(hub)).size, 0)
    await hub.client.delete(ManifestWorkReplicaSet, { namespace: NAMESPACE, name })
    await hub.whenGone(ManifestWorkReplicaSet, { namespace: NAMESPACE, name })
  })

  test('a name with dots is valid', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    await createSet(hub, 'web.v1.example')
    await isAt(hub, '1', 'c1')
    await reportWork(hub, 'done', 'c1')
    await condition(hub, 'web.v1.example', 'PlacementRolledOut', 'Complete')
  })

  test('clusters that are missing or not accepted do not block the others', async (t) => {
    const hub = await start(t, 'c3')
    await createCluster(hub, 'c2')
    await decide(hub, 'p1', ['c1', 'c2', 'c3'])
    await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } } })
    const reasons = /c1: the cluster does not exist; c2: the cluster is not accepted$/
    await isAt(hub, '1', 'c3')
    await condition(hub, 'web', 'ManifestworkApplied', 'Processing', reasons)
    await reportWork(hub, 'progressing', 'c3')
    await hub.settle()
    await condition(hub, 'web', 'ManifestworkApplied', 'Processing', reasons)
    await reportWork(hub, 'done', 'c3')
    await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', reasons)
    await hub.client.patch(ManagedCluster, { name: 'c2' }, { spec: { hubAcceptsClient: true } })
    await hub.eventually('the accepted cluster has a work', async () => (await worksByCluster(hub)).has('c2'))
  })

  test('a namespace gets its work whether its cluster exists and is accepted or not', async (t) => {
    const hub = await start(t)
    for (const name of ['c1', 'c2', 'c3']) await hub.client.create(Namespace, { metadata: { name } })
    await createCluster(hub, 'c2')
    await decide(hub, 'p1', ['c1', 'c2', 'c3'])
    await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 2 } } })
    await isAt(hub, '1', 'c1', 'c2')
    const waiting = /waiting for c1 \(the cluster does not exist\), c2 \(the cluster is not accepted\)/
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', waiting)
    const absent = /2 of 3 works are up to date, .*; c1: the cluster does not exist; c2: the cluster is not accepted/
    await condition(hub, 'web', 'ManifestworkApplied', 'Processing', absent)
  })

  test('a cluster whose work the hub rejects stays in progress until it is accepted', async (t) => {
    let isRefused = true
    const refusing = {
      name: 'Refusing',
      validate({ object }: { readonly object: KubeObject | undefined }) {
        if (isRefused && object?.kind === 'ManifestWork' && object.metadata.namespace === 'c1') {
          throw badRequest('no room')
        }
      },
    }
    const hub = await HubServer.start(t, { features: FEATURES, admission: () => [refusing] })
    await withClusters(hub, 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2'])
    await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } } })
    for (let time = 0; time < 2; time++) {
      await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', /^c1: .*no room$/)
      await isAt(hub, '1')
    }
    isRefused = false
    await isAt(hub, '1', 'c1')
    await reportWork(hub, 'done', 'c1')
    await isAt(hub, '1', 'c1', 'c2')
  })

  test('a cluster that is being detached gets no work again', async (t) => {
    const hub = await start(t, 'c1')
    await decide(hub, 'p1', ['c1'])
    const cluster = await hub.client.get(ManagedCluster, { name: 'c1' })
    await addFinalizer(hub.client, ManagedCluster, cluster, 'example.com/hold')
    await hub.client.delete(ManagedCluster, { name: 'c1' })
    await createSet(hub, 'web')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /c1: the cluster is being detached/)
    assert.equal((await worksByCluster(hub)).size, 0)
  })
})
