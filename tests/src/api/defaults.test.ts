import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ManagedCluster,
  ManagedClusterSet,
  ManifestWork,
  ManifestWorkReplicaSet,
  type NewManifestWork,
  Placement,
} from '@orrery/api'
import { type KindServer, startKindServer } from './kind-server.js'

let server: KindServer
before(async () => {
  server = await startKindServer()
})
after(() => server.close())

test('complete: sets the same defaults as the server', async () => {
  const draft = { metadata: { name: 'c1' }, spec: {} }
  const cluster = await server.client.create(ManagedCluster, draft)
  const lease: number | undefined = cluster.spec?.leaseDurationSeconds
  assert.equal(lease, 60)
  assert.deepEqual(ManagedCluster.complete(draft).spec, cluster.spec)
})

test('ManagedClusterSet: defaults to ExclusiveClusterSetLabel', async () => {
  const set = await server.client.create(ManagedClusterSet, { metadata: { name: 'empty' } })
  assert.equal(set.spec.clusterSelector.selectorType, 'ExclusiveClusterSetLabel')
  assert.deepEqual(ManagedClusterSet.complete({ metadata: { name: 'empty' } }).spec, set.spec)
})

test('complete: sets nested defaults', async () => {
  const metadata = { name: 'deep', namespace: 'default' }
  const placement = {
    metadata,
    spec: {
      prioritizerPolicy: { configurations: [{ scoreCoordinate: { builtIn: 'Steady' } }] },
      tolerations: [{ key: 'a', value: 'b' }],
      decisionStrategy: { groupStrategy: {} },
    },
  }
  const placed = await server.client.create(Placement, placement)
  assert.deepEqual(placed.spec, {
    prioritizerPolicy: {
      mode: 'Additive',
      configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Steady' }, weight: 1 }],
    },
    tolerations: [{ key: 'a', value: 'b', operator: 'Equal' }],
    decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: '100%' } },
    sortBy: 'ClusterName',
    scoreRateLimit: '1m',
  })
  assert.deepEqual(Placement.complete(placement).spec, placed.spec)

  const replicas = { metadata, spec: { placementRefs: [{ name: 'deep' }] } }
  const created = await server.client.create(ManifestWorkReplicaSet, replicas)
  assert.deepEqual(created.spec, {
    cascadeDeletionPolicy: 'Background',
    placementRefs: [
      {
        name: 'deep',
        rolloutStrategy: { type: 'All', all: { progressDeadline: 'None', minSuccessTime: '0', maxFailures: 0 } },
      },
    ],
  })
  assert.deepEqual(ManifestWorkReplicaSet.complete(replicas).spec, created.spec)
})

test('complete: prunes unknown fields, except in manifests', async () => {
  const manifest = {
    apiVersion: 'example.com/v1',
    kind: 'Anything',
    metadata: { name: 'a', labels: { b: 'c' } },
    free: { form: [1, { of: 'fields' }] },
  }
  const work = {
    metadata: { name: 'pruned', namespace: 'default' },
    spec: { workload: { manifests: [manifest], surplus: true }, nonsense: 1, executor: null },
  }
  const draft = work as unknown as NewManifestWork
  const created = await server.client.create(ManifestWork, draft)
  assert.deepEqual(created.spec, { workload: { manifests: [manifest] } })
  assert.deepEqual(ManifestWork.complete(draft).spec, created.spec)
})

test('status subresource: is written separately', async () => {
  const { client } = server
  const ref = { name: 'apart', namespace: 'default' }
  await client.create(ManifestWork, { metadata: ref, status: { conditions: [] } })
  assert.equal((await client.get(ManifestWork, ref)).status, undefined)
  const condition = { type: 'Applied', status: 'True', reason: 'Done', message: '' } as const
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-31T12:00:00Z' }]
  await client.patch(ManifestWork, ref, { status: { conditions } }, { subresource: 'status' })
  assert.deepEqual((await client.get(ManifestWork, ref)).status?.conditions, conditions)
})
