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
import { type KindServer, startKindServer } from './kind-server.js'
import { assertRefused, causes } from './refusal.js'

let server: KindServer
before(async () => {
  server = await startKindServer()
})
after(() => server.close())

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } }
const template = (spec: object) => ({
  spec: { placementRefs: [{ name: 'p' }], manifestWorkTemplate: spec },
})
const rolledOut = (rolloutStrategy: object) => ({ spec: { placementRefs: [{ name: 'p', rolloutStrategy }] } })
const configured = (config: object) => ({
  spec: { manifestConfigs: [{ resourceIdentifier: { resource: 'pods', name: 'a' }, ...config }] },
})

/** Invalid fields by kind, with the message. */
const REFUSED: readonly [AnyKind, object, string, string][] = [
  [
    ManagedCluster,
    { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
    'spec.taints[0].effect',
    'Unsupported value: "NoSchedule": supported values: "NoSelect", "PreferNoSelect", "NoSelectIfNew"',
  ],
  [
    ManagedCluster,
    { spec: { taints: [{ key: 'not a key', effect: 'NoSelect' }] } },
    'spec.taints[0].key',
    'Invalid value: "not a key": ',
  ],
  [
    ManagedCluster,
    { spec: { managedClusterClientConfigs: [{ caBundle: 'AAAA' }] } },
    'spec.managedClusterClientConfigs[0].url',
    'Required value',
  ],
  [
    ManagedCluster,
    { spec: { hubAcceptsClient: 'yes' } },
    'spec.hubAcceptsClient',
    'Invalid value: "string": spec.hubAcceptsClient in body must be of type boolean: "string"',
  ],
  [ManagedCluster, { spec: { leaseDurationSeconds: 1.5 } }, 'spec.leaseDurationSeconds', 'Invalid value: '],
  [
    ManagedClusterSet,
    { spec: { clusterSelector: { selectorType: 'LegacyClusterSetLabel' } } },
    'spec.clusterSelector.selectorType',
    'Unsupported value: "LegacyClusterSetLabel": ',
  ],
  [
    ManagedClusterSet,
    { spec: { managedNamespaces: [{ name: 'a' }, { name: 'a' }] } },
    'spec.managedNamespaces[1]',
    'Duplicate value: {"name":"a"}',
  ],
  [
    ManagedClusterSetBinding,
    { spec: { clusterSet: '' } },
    'spec.clusterSet',
    'Invalid value: "": spec.clusterSet in body should be at least 1 chars long',
  ],
  [Placement, {}, 'spec', 'Required value'],
  [
    Placement,
    { spec: { prioritizerPolicy: { configurations: [{ scoreCoordinate: {}, weight: 11 }] } } },
    'spec.prioritizerPolicy.configurations[0].weight',
    'Invalid value: 11: ',
  ],
  [
    Placement,
    { spec: { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: '0%' } } } },
    'spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup',
    'Invalid value: "0%": ',
  ],
  [
    Placement,
    { spec: { spreadPolicy: { spreadConstraints: Array(9).fill({ topologyKey: 'a', topologyKeyType: 'Label' }) } } },
    'spec.spreadPolicy.spreadConstraints',
    'Too many: 9: must have at most 8 items',
  ],
  [Placement, { spec: { scoreRateLimit: 'soon' } }, 'spec.scoreRateLimit', 'Invalid value: "soon": '],
  [PlacementDecision, { status: {} }, 'status.decisions', 'Required value'],
  [
    AddOnPlacementScore,
    { status: { scores: [1, 2].map((value) => ({ name: 'cpu', value })) } },
    'status.scores[1]',
    'Duplicate value: {"name":"cpu"}',
  ],
  [ManagedClusterScore, { status: { score: 1 } }, 'status.conditions', 'Required value'],
  [ClusterClaim, { spec: { value: 'x'.repeat(1025) } }, 'spec.value', 'Too long: may not be more than 1024 bytes'],
  [ClusterProperty, { spec: {} }, 'spec.value', 'Required value'],
  [ClusterProfile, { spec: {} }, 'spec.clusterManager', 'Required value'],
  [ManifestWork, { spec: { workload: { manifests: [{}] } } }, 'spec.workload.manifests[0].kind', 'Required value'],
  [
    ManifestWork,
    { spec: { workload: { manifests: [{ ...CONFIG_MAP, apiVersion: 'a/b/c' }] } } },
    'spec.workload.manifests[0].apiVersion',
    'Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
  ],
  [
    ManifestWork,
    { spec: { executor: { subject: { type: 'User' } } } },
    'spec.executor.subject.type',
    'Unsupported value: "User": supported values: "ServiceAccount"',
  ],
  [
    ManifestWork,
    configured({ updateStrategy: { serverSideApply: { fieldManager: 'me' } } }),
    'spec.manifestConfigs[0].updateStrategy.serverSideApply.fieldManager',
    'Invalid value: "me": ',
  ],
  [
    ManifestWork,
    configured({ updateStrategy: { serverSideApply: { ignoreFields: [{}, { condition: 'OnSpokePresent' }] } } }),
    'spec.manifestConfigs[0].updateStrategy.serverSideApply.ignoreFields[1]',
    'Duplicate value: {"condition":"OnSpokePresent"}',
  ],
  [ManifestWork, { spec: { manifestConfigs: [{}] } }, 'spec.manifestConfigs[0].resourceIdentifier', 'Required value'],
  [AppliedManifestWork, { spec: { hubHash: 'h' } }, 'spec.manifestWorkName', 'Required value'],
  [
    ManifestWorkReplicaSet,
    { spec: { placementRefs: [] } },
    'spec.placementRefs',
    'Invalid value: 0: spec.placementRefs in body should have at least 1 items',
  ],
  [
    ManifestWorkReplicaSet,
    rolledOut({ type: 'Progressive', progressive: { maxConcurrency: '101%' } }),
    'spec.placementRefs[0].rolloutStrategy.progressive.maxConcurrency',
    'Invalid value: "101%": ',
  ],
  [
    ManifestWorkReplicaSet,
    template({ deleteOption: { propagationPolicy: 'Background' } }),
    'spec.manifestWorkTemplate.deleteOption.propagationPolicy',
    'Unsupported value: "Background": ',
  ],
]

for (const [kind, fields, field, message] of REFUSED) {
  test(`${kind.kind}: ${field}: ${message.trim()}`, () => assertRefused(server.client, kind, fields, field, message))
}

test('validate: does not evaluate CEL rules', async () => {
  const conditionRules = [{ condition: '', type: 'CEL', celExpressions: ['true'] }]
  const work = { metadata: { name: 'refused', namespace: 'default' }, ...configured({ conditionRules }) }
  assert.deepEqual(ManifestWork.validate(work), [])
  assert.deepEqual(await causes(server.client, ManifestWork, work), [
    'spec.manifestConfigs[0].conditionRules[0]: Invalid value: Condition is required for CEL rules',
  ])
})

test('ClusterProfile: clusterManager is immutable', async () => {
  const { client } = server
  const ref = { name: 'kept', namespace: 'default' }
  await client.create(ClusterProfile, { metadata: ref, spec: { clusterManager: { name: 'one' } } })
  const change = client.patch(ClusterProfile, ref, { spec: { clusterManager: { name: 'other' } } })
  await assert.rejects(change, /spec\.clusterManager: Invalid value: .*ClusterManager is immutable/)
})
