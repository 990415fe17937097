import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  AddOnDeploymentConfig,
  AddOnDeploymentConfigV1Alpha1,
  AddOnPlacementScore,
  AddOnTemplate,
  type AnyKind,
  AppliedManifestWork,
  ClusterClaim,
  ClusterManagementAddOn,
  ClusterManagementAddOnV1Alpha1,
  ClusterProfile,
  ClusterProperty,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
  Placement,
  PlacementDecision,
  PlacementFailover,
} from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { parseAllDocuments } from 'yaml'
import { ADDON_SAMPLES } from './addon-samples.js'
import { type KindServer, startKindServer } from './kind-server.js'
import { SAMPLES } from './samples.js'

const KINDS: readonly AnyKind[] = [
  AddOnDeploymentConfig,
  AddOnDeploymentConfigV1Alpha1,
  AddOnPlacementScore,
  AddOnTemplate,
  AppliedManifestWork,
  ClusterClaim,
  ClusterManagementAddOn,
  ClusterManagementAddOnV1Alpha1,
  ClusterProfile,
  ClusterProperty,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
  Placement,
  PlacementDecision,
  PlacementFailover,
]

const samples = [SAMPLES, ADDON_SAMPLES].flatMap((text) =>
  parseAllDocuments(text).map((document) => document.toJS() as KubeObject),
)
let server: KindServer
before(async () => {
  server = await startKindServer()
})
after(() => server.close())

test('samples: cover every kind', () => {
  const sampled = new Set(samples.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))
  const defined = KINDS.map(({ group, version, kind }) => `${group}/${version} ${kind}`)
  assert.deepEqual([...sampled].sort(), defined.sort())
})

for (const sample of samples) {
  const { name = '', namespace } = sample.metadata
  test(`sample ${sample.kind} ${keyOf({ namespace, name })}: is valid here and on the server`, async () => {
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
