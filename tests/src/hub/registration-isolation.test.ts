import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  AddOnPlacementScore,
  CLUSTER_LEASE,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
  ManagedClusterCondition,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkReplicaSet,
  Placement,
} from '@orrery/api'
import {
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CoreEvent,
  CustomResourceDefinition,
  Event,
  Lease,
  Namespace,
  Node,
  Pod,
  type ResourceType,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { type Attempt, EVERY_VERB, isRefused, type Verb } from './attempt.js'
import { acceptedCluster, says } from './clusters.js'
import { HubServer } from './hub-server.js'

/** The kinds in a cluster's namespace, with the name of one object of each. */
const IN_NAMESPACE: readonly (readonly [kind: ResourceType, name: string, subresources?: readonly string[]])[] = [
  [ManifestWork, 'work', ['status']],
  [ManifestWorkReplicaSet, 'set', ['status']],
  [Lease, CLUSTER_LEASE],
  [ManagedClusterAddOn, 'addon', ['status']],
  [ManagedClusterAddOnV1Alpha1, 'addon', ['status']],
  [ManagedClusterSetBinding, 'default', ['status']],
  [Placement, 'placement', ['status']],
  [AddOnPlacementScore, 'score', ['status']],
  [ManagedClusterScore, 'score', ['status']],
  [Event, 'event'],
  [CoreEvent, 'event'],
  [Secret, 'secret'],
  [ConfigMap, 'config'],
  [ServiceAccount, 'default', ['token']],
  [Pod, 'pod', ['log', 'exec']],
  [Role, 'role'],
  [RoleBinding, 'open-cluster-management:managedcluster:b:work'],
]

/** The cluster-scoped kinds of a hub. */
const CLUSTER_WIDE: readonly (readonly [kind: ResourceType, name: string, subresources?: readonly string[]])[] = [
  [ManagedClusterSet, 'default', ['join', 'bind']],
  [ClusterManagementAddOn, 'addon'],
  [Namespace, 'b'],
  [Node, 'node'],
  [ClusterRole, 'open-cluster-management:managedcluster:b'],
  [ClusterRoleBinding, 'open-cluster-management:managedcluster:b'],
  [CustomResourceDefinition, 'managedclusters.cluster.open-cluster-management.io'],
]

const COLLECTION_VERBS: readonly Verb[] = ['list', 'watch', 'create', 'deletecollection']

function* attemptsOn(table: typeof IN_NAMESPACE, namespace?: string): Generator<Attempt> {
  for (const [kind, name, subresources = []] of table) {
    const where = namespace === undefined ? { kind, name } : { kind, name, namespace }
    for (const verb of EVERY_VERB) yield { ...where, verb }
    for (const subresource of subresources) {
      for (const verb of EVERY_VERB) {
        if (verb === 'create' || !COLLECTION_VERBS.includes(verb)) yield { ...where, verb, subresource }
      }
    }
  }
}

/** The possible requests for another cluster's ManagedCluster. */
function* attemptsOnCluster(name: string): Generator<Attempt> {
  const kind = ManagedCluster
  for (const verb of EVERY_VERB) yield { kind, name, verb, fieldSelector: `metadata.name=${name}` }
  for (const verb of ['get', 'update', 'patch'] as const) yield { kind, name, verb, subresource: 'status' }
  for (const verb of ['list', 'watch', 'deletecollection'] as const) yield { kind, name, verb }
}

async function allowed(client: KubeClient, attempts: Iterable<Attempt>): Promise<string[]> {
  const results = await Promise.all(
    Array.from(attempts, async (attempt) => ((await isRefused(client, attempt)) ? [] : [named(attempt)])),
  )
  return results.flat()
}

function named({ kind, verb, subresource, fieldSelector }: Attempt): string {
  const what = [kind.plural, ...(subresource === undefined ? [] : [subresource])].join('/')
  return `${verb} ${what}${kind.version === 'v1alpha1' ? ' v1alpha1' : ''}${fieldSelector === undefined ? '' : ' by name'}`
}

const OWN_NAMESPACE = [
  'get manifestworks',
  'list manifestworks',
  'watch manifestworks',
  'update manifestworks',
  'patch manifestworks',
  'update manifestworks/status',
  'patch manifestworks/status',
  'get leases',
  'list leases',
  'watch leases',
  'update leases',
  'get managedclusteraddons',
  'list managedclusteraddons',
  'watch managedclusteraddons',
  'update managedclusteraddons/status',
  'patch managedclusteraddons/status',
  'get managedclusteraddons v1alpha1',
  'list managedclusteraddons v1alpha1',
  'watch managedclusteraddons v1alpha1',
  'update managedclusteraddons/status v1alpha1',
  'patch managedclusteraddons/status v1alpha1',
  'get managedclusterscores v1alpha1',
  'list managedclusterscores v1alpha1',
  'watch managedclusterscores v1alpha1',
  'create managedclusterscores v1alpha1',
  'patch managedclusterscores v1alpha1',
  'update managedclusterscores/status v1alpha1',
  'patch managedclusterscores/status v1alpha1',
  'create events',
  'update events',
  'patch events',
  'create events',
  'update events',
  'patch events',
]

const OWN_CLUSTER = [
  'get managedclusters by name',
  'list managedclusters by name',
  'watch managedclusters by name',
  'update managedclusters by name',
  'update managedclusters/status',
  'patch managedclusters/status',
]

suite('agent permissions', () => {
  test('include nothing of another cluster', async (t) => {
    const hub = await HubServer.start(t)
    await Promise.all([acceptedCluster(hub, 'a'), acceptedCluster(hub, 'b')])
    const agent = hub.asAgent('a')
    assert.deepEqual(await allowed(agent, attemptsOn(IN_NAMESPACE, 'b')), [])
    assert.deepEqual(await allowed(agent, attemptsOnCluster('b')), [])
    assert.deepEqual(await allowed(agent, attemptsOn(CLUSTER_WIDE)), [])
    // Nor may it list all namespaces.
    const everywhere = IN_NAMESPACE.flatMap(([kind, name]) =>
      (['list', 'watch', 'deletecollection'] as const).map((verb) => ({ kind, name, verb })),
    )
    assert.deepEqual(await allowed(agent, everywhere), [])
  })

  test('include what the agent needs of its own cluster, and no more', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'a')
    const agent = hub.asAgent('a')
    assert.deepEqual(await allowed(agent, attemptsOn(IN_NAMESPACE, 'a')), OWN_NAMESPACE)
    assert.deepEqual(await allowed(agent, attemptsOnCluster('a')), OWN_CLUSTER)
    assert.deepEqual(await allowed(agent, attemptsOn(CLUSTER_WIDE)), [])
  })

  test('allow requesting and reading certificates, but no decisions', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'a')
    assert.deepEqual(await allowed(hub.asAgent('a'), requestAttempts()), [
      'get certificatesigningrequests',
      'list certificatesigningrequests',
      'watch certificatesigningrequests',
      'create certificatesigningrequests',
    ])
  })

  test('allow only reading the ManagedCluster when the cluster is denied', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'a')
    await hub.client.patch(ManagedCluster, { name: 'a' }, { spec: { hubAcceptsClient: false } })
    await hub.when(ManagedCluster, { name: 'a' }, says(ManagedClusterCondition.HubAccepted, 'False'))
    const agent = hub.asAgent('a')
    assert.deepEqual(await allowed(agent, attemptsOn(IN_NAMESPACE, 'a')), [])
    assert.deepEqual(await allowed(agent, requestAttempts()), [])
    assert.deepEqual(await allowed(agent, attemptsOnCluster('a')), [
      'get managedclusters by name',
      'list managedclusters by name',
      'watch managedclusters by name',
    ])
  })

  test('are empty before the cluster is accepted', async (t) => {
    const hub = await HubServer.start(t)
    await hub.client.create(ManagedCluster, { metadata: { name: 'a' }, spec: {} })
    await hub.settle()
    const agent = hub.asAgent('a')
    assert.deepEqual(await allowed(agent, attemptsOn(IN_NAMESPACE, 'a')), [])
    assert.deepEqual(await allowed(agent, attemptsOnCluster('a')), [])
    assert.deepEqual(await allowed(agent, requestAttempts()), [])
  })
})

test('bootstrap credentials: only allow joining', async (t) => {
  const hub = await HubServer.start(t)
  await acceptedCluster(hub, 'a')
  const joining = [
    'get certificatesigningrequests',
    'list certificatesigningrequests',
    'watch certificatesigningrequests',
    'create certificatesigningrequests',
  ]
  const people: Record<string, KubeClient> = {
    'bootstrap token': hub.asBootstrapper(),
    'service account': hub.as(
      'system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
      'system:serviceaccounts',
      'system:serviceaccounts:open-cluster-management',
    ),
  }
  for (const [who, client] of Object.entries(people)) {
    assert.deepEqual(await allowed(client, requestAttempts()), joining, who)
    assert.deepEqual(await allowed(client, attemptsOn(IN_NAMESPACE, 'a')), ['get configmaps'], who)
    assert.deepEqual(await allowed(client, attemptsOn(CLUSTER_WIDE)), ['create managedclustersets/join'], who)
    const otherSet = { kind: ManagedClusterSet, name: 'other', verb: 'create', subresource: 'join' } as const
    assert.equal(await isRefused(client, otherSet), true, who)
    assert.deepEqual(
      await allowed(client, attemptsOnCluster('a')),
      [
        'get managedclusters by name',
        'list managedclusters by name',
        'watch managedclusters by name',
        'create managedclusters by name',
        'list managedclusters',
        'watch managedclusters',
      ],
      who,
    )
  }
})

function* requestAttempts(): Generator<Attempt> {
  const kind = CertificateSigningRequest
  for (const verb of EVERY_VERB) yield { kind, name: 'request', verb }
  for (const subresource of ['approval', 'status']) {
    for (const verb of ['get', 'update', 'patch'] as const) yield { kind, name: 'request', verb, subresource }
  }
}
