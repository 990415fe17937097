import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  AddOnPlacementScore,
  type AnyKind,
  AppliedManifestWork,
  ClusterClaim,
  ClusterProfile,
  ClusterProperty,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
  Placement,
  PlacementDecision,
} from '@orrery/api'
import { type KubeObject, keyOf } from '@orrery/kube'
import { parseAllDocuments } from 'yaml'
import { type KindServer, startKindServer } from './kindserver.js'
import { SAMPLES } from './samples.js'

const KINDS: readonly AnyKind[] = [
  AddOnPlacementScore,
  AppliedManifestWork,
  ClusterClaim,
  ClusterProfile,
  ClusterProperty,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
  Placement,
  PlacementDecision,
]

const samples = parseAllDocuments(SAMPLES).map((document) => document.toJS() as KubeObject)
let server: KindServer
before(async () => {
  server = await startKindServer()
})
after(() => server.close())

test('there is a sample of every kind', () => {
  assert.deepEqual([...new Set(samples.map(({ kind }) => kind))].sort(), KINDS.map(({ kind }) => kind).sort())
})

for (const sample of samples) {
  const { name = '', namespace } = sample.metadata
  test(`the ${sample.kind} ${keyOf({ namespace, name })} is valid here and on the server`, async () => {
    const kind = KINDS.find(
      ({ group, version, kind }) => `${group}/${version}` === sample.apiVersion && kind === sample.kind,
    )
    assert.ok(kind)
    assert.deepEqual(kind.validate(sample), [])
    const created = await server.client.create(kind, sample, { fieldValidation: 'Strict' })
    if (sample.status === undefined) return
    const body = { ...created, status: sample.status }
    const stored = await server.client.update(kind, body, { subresource: 'status', fieldValidation: 'Strict' })
    assert.deepEqual((stored as unknown as KubeObject).status, sample.status)
  })
}
