import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  CLUSTER_GROUP,
  CLUSTER_SET_LABEL,
  DEFAULT_CLUSTER_SET,
  DRY_RUN_GROUP,
  HOSTING_CLUSTER_ANNOTATION,
  MANIFEST_LIMIT,
  ManagedCluster,
  ManagedClusterScore,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManifestWork,
  ManifestWorkDryRun,
  ManifestWorkReplicaSet,
  manifestSize,
  type NewManifestWorkSpec,
  REGISTER_GROUP,
  TEMPLATING_ANNOTATION,
  WORK_GROUP,
} from '@orrery/api'
import { ConfigMap, type JsonObject, Namespace } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { alsoIn, bothWays, refusal, type StartAdmitting, WRITE, withPermissions } from './admission-hub.js'
import type { HubServer } from './hub-server.js'

const CLUSTERS = { group: CLUSTER_GROUP, resource: 'managedclusters', verbs: WRITE }
const ACCEPT = { group: REGISTER_GROUP, resource: 'managedclusters/accept', verbs: ['update'] }
const JOIN = { group: CLUSTER_GROUP, resource: 'managedclustersets/join', verbs: ['create'] }
const WORKS = { group: WORK_GROUP, resource: 'manifestworks', verbs: WRITE }

const DEPLOYER = {
  subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'apps', name: 'deployer' } },
} as const

function configMap(name: string, data: Record<string, string> = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data }
}

async function clusterNamespace(hub: HubServer, name: string): Promise<void> {
  await hub.client.create(Namespace, { metadata: { name } })
}

function work(name: string, spec: NewManifestWorkSpec) {
  return { metadata: { namespace: 'c1', name }, spec }
}

bothWays('hub admission', (start) => {
  clusterTests(start)
  bindingTests(start)
  scoreTests(start)
  workTests(start)
  replicaSetTests(start)
})

function clusterTests(start: StartAdmitting): void {
  test('a cluster is in the default set unless it names another, and cannot leave for none', async (t) => {
    const { client } = await start(t)
    const { metadata } = await client.create(ManagedCluster, { metadata: { name: 'c1' } })
    assert.equal(metadata.labels?.[CLUSTER_SET_LABEL], DEFAULT_CLUSTER_SET)
    const label = (value: string | null) => ({ metadata: { labels: { [CLUSTER_SET_LABEL]: value } } })
    const east = await client.patch(ManagedCluster, { name: 'c1' }, label('east'))
    assert.equal(east.metadata.labels?.[CLUSTER_SET_LABEL], 'east')
    for (const nothing of [null, '']) {
      const back = await client.patch(ManagedCluster, { name: 'c1' }, label(nothing))
      assert.equal(back.metadata.labels?.[CLUSTER_SET_LABEL], DEFAULT_CLUSTER_SET)
    }
  })

  test('without the gate DefaultClusterSet a cluster may be in no set', async (t) => {
    const { client } = await start(t, { features: { DefaultClusterSet: false } })
    const { metadata } = await client.create(ManagedCluster, { metadata: { name: 'c1' } })
    assert.equal(metadata.labels, undefined)
  })

  test('taints get the time of the hub', async (t) => {
    const hub = await start(t)
    await hub.stopControllers()
    const [first, ref] = [formatTime(hub.clock.now()), { name: 'c1' }]
    const a = { key: 'a', effect: 'NoSelect' } as const
    const created = await hub.client.create(ManagedCluster, {
      metadata: ref,
      spec: { taints: [{ ...a, timeAdded: '2001-01-01T00:00:00Z' }] },
    })
    assert.deepEqual(created.spec?.taints, [{ ...a, timeAdded: first }], 'what a new cluster says is not believed')
    hub.clock.advance(60_000)
    const second = formatTime(hub.clock.now())
    const taint = (...taints: object[]) => hub.client.patch(ManagedCluster, ref, { spec: { taints } })
    const b = { key: 'b', value: 'x', effect: 'NoSelect' }
    const changed = await taint(a, b)
    assert.deepEqual(
      changed.spec?.taints?.map(({ timeAdded }) => timeAdded),
      [first, second],
      'one that stays keeps its time, also where it was left out',
    )
    hub.clock.advance(60_000)
    await taint({ ...a, timeAdded: first.replace('Z', '+00:00') }, { ...b, timeAdded: second })
    const refused = await taint({ ...a, timeAdded: second }, { ...b, value: 'y', timeAdded: second }).catch((e) => e)
    assert.equal(refused.code, 400)
    assert.match(refused.message, /It is not allowed to set TimeAdded of Taint "a,b"\.$/)
    const other = await taint(a, { ...b, value: 'y' })
    assert.equal(other.spec?.taints?.[1]?.timeAdded, formatTime(hub.clock.now()), 'one that changes is new')
  })

  test('the schema rejects an invalid taint', async (t) => {
    const { client } = await start(t)
    for (const spec of [{ taints: 5 }, { taints: [null, 'x'] }, { taints: [{ key: 'a', effect: 'Any' }] }]) {
      const draft = { metadata: { name: 'c1' }, spec } as never
      await refusal(client.create(ManagedCluster, draft), 422, 'spec.taints')
    }
  })

  test('a cluster needs a valid name without a foreign namespace, and https URLs', async (t) => {
    const { client } = await start(t)
    const create = (name: string, ...urls: string[]) => {
      const managedClusterClientConfigs = urls.map((url) => ({ url }))
      return client.create(ManagedCluster, { metadata: { name }, spec: { managedClusterClientConfigs } })
    }
    await refusal(create('not.a.label'), 400, 'metadata.name format is not correct: must not contain dots')
    await refusal(create('kube-x'), 400, 'metadata.name "kube-x" cannot be used: the namespace of that name')
    for (const url of ['http://c1', 'https://', 'https://a b', 'c1:6443', 'https://c1\n', '']) {
      await refusal(create('c1', url), 400, `url ${JSON.stringify(url)} is invalid in client configs`)
    }
    await refusal(create('a.b', 'ftp://x'), 400, /metadata\.name format[^\n]*\nurl "ftp:\/\/x" is invalid/)
    await create('c1', 'https://10.0.0.1:6443', 'HTTPS://c1.example.com')
    const bad = { spec: { managedClusterClientConfigs: [{ url: 'http://c1' }] } }
    const said =
      'admission webhook "managedclustervalidators.admission.cluster.open-cluster-management.io" denied the request'
    const url = 'url "http://c1" is invalid in client configs'
    await refusal(client.patch(ManagedCluster, { name: 'c1' }, bad), 400, new RegExp(`^${said}: ${url}$`))
  })

  test('only users with the accept permission accept a cluster', async (t) => {
    const hub = await start(t)
    const joiner = await withPermissions(hub, 'joiner', [CLUSTERS, JOIN])
    const accepter = await withPermissions(hub, 'accepter', [CLUSTERS, JOIN, { ...ACCEPT, names: ['c1'] }])
    const letIn = { spec: { hubAcceptsClient: true } }
    const why = 'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "joiner" cannot'
    await refusal(joiner.create(ManagedCluster, { metadata: { name: 'c1' }, ...letIn }), 403, why)
    await joiner.create(ManagedCluster, { metadata: { name: 'c1' } })
    await refusal(joiner.patch(ManagedCluster, { name: 'c1' }, letIn), 403, why)
    await accepter.patch(ManagedCluster, { name: 'c1' }, letIn)
    await joiner.patch(ManagedCluster, { name: 'c1' }, { metadata: { annotations: { a: 'b' } } })
    await joiner.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: false } })
    await joiner.create(ManagedCluster, { metadata: { name: 'c2' } })
    await refusal(accepter.patch(ManagedCluster, { name: 'c2' }, letIn), 403, '"accepter" cannot update')
  })

  test('a cluster whose namespace is being deleted is not accepted', async (t) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    const metadata = { namespace: 'c1', name: 'held', finalizers: ['example.com/hold'] }
    await hub.client.create(ConfigMap, { metadata })
    await hub.client.delete(Namespace, { name: 'c1' })
    const create = hub.client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } })
    await refusal(create, 403, 'cluster namespace "c1" is terminating')
  })

  test('moving a cluster requires the join permission for both sets', async (t) => {
    const hub = await start(t)
    const user = await withPermissions(hub, 'mover', [CLUSTERS, { ...JOIN, names: ['default', 'east'] }])
    const move = (set: string) =>
      user.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { [CLUSTER_SET_LABEL]: set } } })
    const why = (set: string) =>
      `managedclustersets/join.cluster.open-cluster-management.io "${set}" is forbidden: ` +
      `user "mover" cannot add/remove a ManagedCluster to/from ManagedClusterSet "${set}"`
    await user.create(ManagedCluster, { metadata: { name: 'c1' } })
    await move('east')
    await refusal(move('west'), 403, why('west'))
    const labels = { [CLUSTER_SET_LABEL]: 'west' }
    await refusal(user.create(ManagedCluster, { metadata: { name: 'c2', labels } }), 403, why('west'))
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels } })
    await refusal(move('east'), 403, why('west'))
  })

  test('an agent cannot label its cluster into or out of a set with a selector', async (t) => {
    const hub = await start(t)
    const labelSelector = { matchLabels: { env: 'prod' } }
    const clusterSelector = { selectorType: 'LabelSelector', labelSelector } as const
    await hub.client.create(ManagedClusterSet, { metadata: { name: 'prod' }, spec: { clusterSelector } })
    await hub.client.create(ManagedCluster, { metadata: { name: 'c1' } })
    const username = 'system:open-cluster-management:c1:agent'
    const agent = await withPermissions(hub, username, [CLUSTERS])
    const label = (labels: Record<string, string | null>) => ({ metadata: { labels } })
    const c1 = { name: 'c1' }
    const why =
      'managedclustersets/join.cluster.open-cluster-management.io "prod" is forbidden: ' +
      `user "${username}" cannot add/remove a ManagedCluster to/from ManagedClusterSet "prod"`
    await refusal(agent.patch(ManagedCluster, c1, label({ env: 'prod' })), 403, why)
    await agent.patch(ManagedCluster, c1, label({ env: 'test' }))
    await agent.patch(ManagedCluster, c1, { spec: { leaseDurationSeconds: 30 } })
    const user = await withPermissions(hub, 'labeller', [CLUSTERS])
    await user.patch(ManagedCluster, c1, label({ env: 'prod' }))
    await refusal(agent.patch(ManagedCluster, c1, label({ env: null })), 403, why)
    const joiner = 'system:open-cluster-management:c1:joiner'
    const member = await withPermissions(hub, joiner, [CLUSTERS, { ...JOIN, names: ['prod'] }])
    await member.patch(ManagedCluster, c1, label({ env: null }))
  })

  test('an agent cannot choose another cluster to host its add-ons', async (t) => {
    const hub = await start(t)
    const host = (name: string | null) => ({ metadata: { annotations: { [HOSTING_CLUSTER_ANNOTATION]: name } } })
    const c1 = { name: 'c1' }
    const username = 'system:open-cluster-management:c1:agent'
    const agent = await withPermissions(hub, username, [CLUSTERS, { ...JOIN, names: ['default'] }])
    const why = (name: string, resource: string) =>
      `${resource} is forbidden: user "${username}" cannot change the annotation ${HOSTING_CLUSTER_ANNOTATION}: ` +
      `it requires the permission to create manifestworks in namespace "${name}"`
    const c1Refusal = (name: string) => why(name, 'managedclusters.cluster.open-cluster-management.io "c1"')
    await refusal(
      agent.create(ManagedCluster, { metadata: { ...host('c2').metadata, ...c1 } } as never),
      403,
      c1Refusal('c2'),
    )
    await hub.client.create(ManagedCluster, { metadata: c1 })
    await refusal(agent.patch(ManagedCluster, c1, host('c2')), 403, c1Refusal('c2'))
    await agent.patch(ManagedCluster, c1, host('c1'))
    await hub.client.patch(ManagedCluster, c1, host('c2'))
    await refusal(agent.patch(ManagedCluster, c1, host(null)), 403, c1Refusal('c2'))
    await agent.patch(ManagedCluster, c1, { spec: { leaseDurationSeconds: 30 } })
  })

  test('an agent can set the labels that show the state of add-ons', async (t) => {
    const hub = await start(t)
    const key = 'feature.open-cluster-management.io/addon-search'
    const clusterSelector = {
      selectorType: 'LabelSelector',
      labelSelector: { matchLabels: { [key]: 'available' } },
    } as const
    await hub.client.create(ManagedClusterSet, { metadata: { name: 'searched' }, spec: { clusterSelector } })
    await hub.client.create(ManagedCluster, { metadata: { name: 'c1' } })
    const agent = await withPermissions(hub, 'system:open-cluster-management:c1:agent', [CLUSTERS])
    await agent.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { [key]: 'available', color: 'red' } } })
  })

  test('a user with the bootstrap token joins a set, but does not accept itself', async (t) => {
    const hub = await start(t)
    const user = hub.asBootstrapper()
    const metadata = { name: 'c1' }
    await refusal(user.create(ManagedCluster, { metadata, spec: { hubAcceptsClient: true } }), 403, 'HubAcceptsClient')
    await user.create(ManagedCluster, { metadata })
  })
}

function bindingTests(start: StartAdmitting): void {
  test('a binding has the name of its set, and requires the bind permission', async (t: TestContext) => {
    const hub = await start(t)
    const bindings = { group: CLUSTER_GROUP, resource: 'managedclustersetbindings', verbs: WRITE }
    const bind = { group: CLUSTER_GROUP, resource: 'managedclustersets/bind', verbs: ['create'], names: ['east'] }
    const user = await withPermissions(hub, 'binder', [bindings, bind])
    const create = (name: string, clusterSet: string) =>
      user.create(ManagedClusterSetBinding, { metadata: { namespace: 'default', name }, spec: { clusterSet } })
    const same = 'The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet'
    await refusal(create('east', 'west'), 400, same)
    await refusal(create('west', 'west'), 403, 'user "binder" is not allowed to bind cluster set "west"')
    await create('east', 'east')
    const ref = { namespace: 'default', name: 'east' }
    await refusal(user.patch(ManagedClusterSetBinding, ref, { spec: { clusterSet: 'west' } }), 400, same)
    await user.patch(ManagedClusterSetBinding, ref, { metadata: { labels: { a: 'b' } } })
  })
}

function scoreTests(start: StartAdmitting): void {
  test('a score has the names of its cluster and its calculator', async (t: TestContext) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    const create = (name: string) => hub.client.create(ManagedClusterScore, { metadata: { namespace: 'c1', name } })
    for (const name of ['c2-latency', 'latency', 'c1']) {
      const expected = `metadata.name "${name}" is not the name of a score of cluster "c1": use c1-CALCULATOR`
      await refusal(create(name), 400, expected)
    }
    await create('c1-latency')
    await hub.client.patch(
      ManagedClusterScore,
      { namespace: 'c1', name: 'c1-latency' },
      { metadata: { labels: { a: 'b' } } },
    )
  })
}

function workTests(start: StartAdmitting): void {
  test('the manifests of a work must differ', async (t) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    const create = (...manifests: JsonObject[]) =>
      hub.client.create(ManifestWork, work('w', { workload: { manifests: manifests as never } }))
    await refusal(create(), 400, 'manifests should not be empty')
    await refusal(hub.client.create(ManifestWork, work('w', {})), 400, 'manifests should not be empty')
    const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x' } }
    await refusal(create(configMap('a'), nameless), 400, 'name must be set in manifest at index 1 (v1 ConfigMap)')
    const both = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', generateName: 'x' } }
    await refusal(create(both), 400, 'generateName must not be set in manifest at index 0')
    const twice = 'duplicate manifest for resource default/a with resource type v1.ConfigMap'
    await refusal(create(configMap('a'), configMap('b'), configMap('a')), 400, twice)
    await create(configMap('a'), { ...configMap('a'), kind: 'Secret' })
    const emptied = { spec: { workload: { manifests: [] } } }
    await refusal(hub.client.patch(ManifestWork, { namespace: 'c1', name: 'w' }, emptied), 400, 'should not be empty')
  })

  test('the manifests of a work have a size limit, counted as in Open Cluster Management', async (t) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    const create = (name: string, ...manifests: JsonObject[]) =>
      hub.client.create(ManifestWork, work(name, { workload: { manifests: manifests as never } }))
    const filler = (bytes: number) => {
      const room = bytes - manifestSize(configMap('a', { text: '' }))
      return configMap('a', { text: 'é'.repeat(1_000) + 'x'.repeat(room - 2_000 - 2) })
    }
    assert.equal(manifestSize(filler(MANIFEST_LIMIT)), MANIFEST_LIMIT)
    await create('fits', filler(MANIFEST_LIMIT))
    const large = filler(MANIFEST_LIMIT - 5)
    const exceeded = `the size of manifests is ${MANIFEST_LIMIT + 1} bytes which exceeds the 512000 limit`
    const data = large.data as { text: string }
    await refusal(create('over', { ...large, data: { text: `${data.text.slice(0, -1)}<x` } }), 400, exceeded)
  })

  test('a hub may have another limit', async (t) => {
    const hub = await start(t, { manifestLimit: 200 })
    await clusterNamespace(hub, 'c1')
    const [ref, manifests] = [{ namespace: 'c1', name: 'w' }, [configMap('a')] as never]
    await hub.client.create(ManifestWork, work('w', { workload: { manifests } }))
    const grown = { spec: { workload: { manifests: [configMap('a', { text: 'x'.repeat(200) })] } } }
    await refusal(hub.client.patch(ManifestWork, ref, grown), 400, 'which exceeds the 200 limit')
  })

  test('a work with an executor requires the execute-as permission for its account', async (t) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    const names = ['system:serviceaccount:apps:deployer']
    const plain = await withPermissions(hub, 'plain', [WORKS])
    const user = await withPermissions(hub, 'deputy', [WORKS, { ...WORKS, verbs: ['execute-as'], names }])
    const manifests = [configMap('a')] as never
    const workload = { manifests }
    const why = 'user plain cannot manipulate the Manifestwork with executor apps/deployer in namespace c1'
    await plain.create(ManifestWork, work('own', { workload }))
    await refusal(plain.create(ManifestWork, work('w', { workload, executor: DEPLOYER })), 400, why)
    await user.create(ManifestWork, work('w', { workload, executor: DEPLOYER }))
    const ref = { namespace: 'c1', name: 'w' }
    await plain.patch(ManifestWork, ref, { metadata: { labels: { a: 'b' } } })
    const other = { spec: { workload: { manifests: [configMap('b')] } } }
    await refusal(plain.patch(ManifestWork, ref, other), 400, why)
    await user.patch(ManifestWork, ref, other)
    const set = { spec: { executor: DEPLOYER } }
    await refusal(plain.patch(ManifestWork, { namespace: 'c1', name: 'own' }, set), 400, why)
    const nobody = { subject: { type: 'ServiceAccount' } } as const
    const create = user.create(ManifestWork, work('x', { workload, executor: nobody }))
    await refusal(create, 400, 'executor service account can not be nil')
  })

  test('with the gate NilExecutorValidating a work without an executor requires the permission for the agent', async (t) => {
    const hub = await start(t, { features: { NilExecutorValidating: true } })
    await clusterNamespace(hub, 'c1')
    const names = ['system:serviceaccount::klusterlet-work-sa']
    const plain = await withPermissions(hub, 'plain', [WORKS])
    const user = await withPermissions(hub, 'deputy', [WORKS, { ...WORKS, verbs: ['execute-as'], names }])
    const draft = work('w', { workload: { manifests: [configMap('a')] as never } })
    const why = 'user plain cannot manipulate the Manifestwork with executor /klusterlet-work-sa in namespace c1'
    await refusal(plain.create(ManifestWork, draft), 400, why)
    await user.create(ManifestWork, draft)
  })

  test('a dry run requires the permission to create works', async (t) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    await clusterNamespace(hub, 'c2')
    const dryRuns = { group: DRY_RUN_GROUP, resource: 'manifestworkdryruns', verbs: WRITE }
    const planner = await withPermissions(hub, 'planner', [dryRuns])
    await alsoIn(hub, 'c2', 'planner', { ...WORKS, verbs: ['create'] })
    const draft = (namespace: string) => ({
      metadata: { namespace, name: 'w' },
      spec: { workload: { manifests: [configMap('a')] as never } },
    })
    const why = 'user "planner" cannot create manifestworks in namespace "c1"'
    await refusal(planner.create(ManifestWorkDryRun, draft('c1')), 403, why)
    await planner.create(ManifestWorkDryRun, draft('c2'))
  })

  test('a dry run with an executor requires the execute-as permission for its account', async (t) => {
    const hub = await start(t)
    await clusterNamespace(hub, 'c1')
    const dryRuns = { group: DRY_RUN_GROUP, resource: 'manifestworkdryruns', verbs: WRITE }
    const execute = { ...WORKS, verbs: ['execute-as'], names: ['system:serviceaccount:apps:deployer'] }
    const plain = await withPermissions(hub, 'plain', [dryRuns, WORKS])
    const user = await withPermissions(hub, 'deputy', [dryRuns, WORKS, execute])
    const draft = (name: string, ...manifests: JsonObject[]) => ({
      metadata: { namespace: 'c1', name },
      spec: { workload: { manifests: manifests as never }, executor: DEPLOYER },
    })
    const why = 'user plain cannot manipulate the Manifestwork with executor apps/deployer in namespace c1'
    await refusal(plain.create(ManifestWorkDryRun, draft('w', configMap('a'))), 400, why)
    await user.create(ManifestWorkDryRun, draft('w', configMap('a')))
    const twice = user.create(ManifestWorkDryRun, draft('x', configMap('a'), configMap('a')))
    await refusal(twice, 400, 'duplicate manifest for resource')
  })
}

function replicaSetTests(start: StartAdmitting): void {
  const draft = (name: string, manifests: JsonObject[]) => ({
    metadata: { namespace: 'default', name },
    spec: {
      placementRefs: [{ name: 'all', rolloutStrategy: { type: 'All' as const } }],
      manifestWorkTemplate: { workload: { manifests: manifests as never } },
    },
  })

  test('the manifests of a replica set are validated like those of a work', async (t) => {
    const { client } = await start(t, { features: { ManifestWorkReplicaSet: true } })
    const create = (...manifests: JsonObject[]) => client.create(ManifestWorkReplicaSet, draft('s', manifests))
    await refusal(create(), 400, 'Workload manifests should not be empty')
    await refusal(create(configMap('a'), configMap('a')), 400, 'duplicate manifest for resource default/a')
    await refusal(create(configMap('a', { x: 'x'.repeat(MANIFEST_LIMIT) })), 400, 'exceeds the 512000 limit')
    await create(configMap('a'))
    await client.patch(
      ManifestWorkReplicaSet,
      { namespace: 'default', name: 's' },
      { metadata: { labels: { a: 'b' } } },
    )
  })

  test('a replica set with an executor requires the execute-as permission on all clusters', async (t) => {
    const hub = await start(t, { features: { ManifestWorkReplicaSet: true } })
    await clusterNamespace(hub, 'c1')
    const sets = { group: WORK_GROUP, resource: 'manifestworkreplicasets', verbs: WRITE }
    const asDeployer = { ...WORKS, verbs: ['execute-as'], names: ['system:serviceaccount:apps:deployer'] }
    const plain = await withPermissions(hub, 'plain', [sets])
    const user = await withPermissions(hub, 'deputy', [sets, asDeployer])
    await alsoIn(hub, 'c1', 'plain', asDeployer)
    const { metadata, spec } = draft('s', [configMap('a')])
    const inName = (executor: object) => ({
      metadata,
      spec: { ...spec, manifestWorkTemplate: { ...spec.manifestWorkTemplate, executor: executor as typeof DEPLOYER } },
    })
    const why =
      /user plain cannot manipulate the ManifestWorkReplicaSet with executor apps\/deployer: .*all namespaces$/
    await refusal(plain.create(ManifestWorkReplicaSet, inName(DEPLOYER)), 403, why)
    await refusal(plain.create(ManifestWorkReplicaSet, inName({})), 400, 'executor service account can not be nil')
    await plain.create(ManifestWorkReplicaSet, draft('own', [configMap('a')]))
    const setIt = { spec: { manifestWorkTemplate: { executor: DEPLOYER } } }
    await refusal(plain.patch(ManifestWorkReplicaSet, { namespace: 'default', name: 'own' }, setIt), 403, why)

    await user.create(ManifestWorkReplicaSet, inName(DEPLOYER))
    const ref = { namespace: 'default', name: 's' }
    await plain.patch(ManifestWorkReplicaSet, ref, { metadata: { labels: { a: 'b' } } })
    const elsewhere = { spec: { placementRefs: [{ name: 'others' }] } }
    const templating = { metadata: { annotations: { [TEMPLATING_ANNOTATION]: 'true' } } }
    for (const change of [elsewhere, templating]) {
      await refusal(plain.patch(ManifestWorkReplicaSet, ref, change), 403, why)
      await user.patch(ManifestWorkReplicaSet, ref, change)
    }
    const without = { spec: { manifestWorkTemplate: { executor: null } } }
    await plain.patch(ManifestWorkReplicaSet, ref, without)
  })

  test('with the gate NilExecutorValidating a replica set without an executor requires the permission for the agent', async (t) => {
    const hub = await start(t, { features: { ManifestWorkReplicaSet: true, NilExecutorValidating: true } })
    await clusterNamespace(hub, 'c1')
    const sets = { group: WORK_GROUP, resource: 'manifestworkreplicasets', verbs: WRITE }
    const asAgent = { ...WORKS, verbs: ['execute-as'], names: ['system:serviceaccount::klusterlet-work-sa'] }
    const plain = await withPermissions(hub, 'plain', [sets])
    const user = await withPermissions(hub, 'deputy', [sets, asAgent])
    await alsoIn(hub, 'c1', 'plain', asAgent)
    const why =
      /user plain cannot manipulate the ManifestWorkReplicaSet with executor \/klusterlet-work-sa: .*namespaces$/
    await refusal(plain.create(ManifestWorkReplicaSet, draft('s', [configMap('a')])), 403, why)
    await user.create(ManifestWorkReplicaSet, draft('s', [configMap('a')]))
    const ref = { namespace: 'default', name: 's' }
    await plain.patch(ManifestWorkReplicaSet, ref, { metadata: { labels: { a: 'b' } } })
  })

  test('a hub without the gate for replica sets rejects them', async (t) => {
    const { client } = await start(t)
    const create = client.create(ManifestWorkReplicaSet, draft('s', [configMap('a')]))
    await refusal(create, 403, 'ManifestWorkReplicaSet feature is disabled')
  })
}
