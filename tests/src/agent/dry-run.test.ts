import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startDryRuns } from '@orrery/agent'
import { hubCrds, type ManifestChange, ManifestWorkDryRun, type NewManifestWorkDryRun } from '@orrery/api'
import { ConfigMap, Deployment, Namespace, Role, RoleBinding, Secret } from '@orrery/kinds'
import { Informers } from '@orrery/kube'
import { systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import { CLUSTER, configMap, deployment, inDefault, serve, WorkPair } from './work-pair.js'

async function startPair(t: TestContext): Promise<WorkPair> {
  const pair = await WorkPair.start(t)
  await serve(
    pair.hub,
    hubCrds().filter(({ metadata }) => metadata.name?.startsWith('manifestworkdryruns.')),
  )
  await start(t, pair)
  return pair
}

async function start(t: TestContext, pair: WorkPair): Promise<void> {
  const hubInformers = new Informers(pair.hub.forAgent)
  const part = await startDryRuns({
    hub: pair.hub.forAgent,
    hubInformers,
    clusterName: CLUSTER,
    agentNamespace: 'agent-home',
    spoke: pair.spoke.forAgent,
    reveal: (manifest) => manifest,
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricRegistry(),
  })
  t.after(async () => {
    await part.close()
    await hubInformers.close()
  })
}

type Spec = Omit<NewManifestWorkDryRun['spec'], 'workload'>

/** Runs a dry run, and returns its changes. */
async function tryOut(
  pair: WorkPair,
  manifests: readonly object[],
  spec: Spec = {},
): Promise<readonly ManifestChange[]> {
  const metadata = { namespace: CLUSTER, generateName: 'try-' }
  const draft = { metadata, spec: { workload: { manifests }, ...spec } }
  const { metadata: created } = await pair.hub.client.create(ManifestWorkDryRun, draft as never)
  const done = await pair.hub.when(ManifestWorkDryRun, created, ({ status }) => status?.changes !== undefined)
  return done.status?.changes ?? []
}

const actions = (changes: readonly ManifestChange[]) => changes.map(({ action }) => action)

test('dry run: reports what is created, changed, unchanged and rejected, and writes nothing', async (t) => {
  const pair = await startPair(t)
  for (const name of ['same', 'other']) await pair.spoke.client.create(ConfigMap, configMap(name, { a: '1' }) as never)
  pair.spoke.takeWrites()
  const changes = await tryOut(pair, [
    configMap('same', { a: '1' }),
    configMap('other', { a: '2' }),
    configMap('new', {}),
    { ...configMap('lost', {}), metadata: { namespace: 'nowhere', name: 'lost' } },
    { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' } },
    { apiVersion: 'v1', kind: 'Service', metadata: inDefault('bad'), spec: { ports: [{ port: 0 }] } },
  ])
  assert.deepEqual(actions(changes), ['None', 'Update', 'Create', 'Refused', 'Refused', 'Refused'])
  const [, change, , lost, , invalid] = changes
  assert.deepEqual([change?.before?.data, change?.after?.data], [{ a: '1' }, { a: '2' }])
  assert.deepEqual(change?.after?.metadata, inDefault('other'))
  assert.match(lost?.message ?? '', /namespaces "nowhere" not found/)
  assert.match(invalid?.message ?? '', /spec\.ports\[0\]\.port/)
  assert.equal(await pair.spoke.client.find(ConfigMap, inDefault('new')), undefined)
  assert.deepEqual((await pair.spoke.client.get(ConfigMap, inDefault('other'))).data, { a: '1' })
  const { items } = await pair.spoke.client.list(ConfigMap, { namespace: 'default' })
  assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), ['kube-root-ca.crt', 'other', 'same'])
})

test('dry run: follows the update strategy of each manifest', async (t) => {
  const pair = await startPair(t)
  for (const name of ['readonly', 'createonly', 'applied']) {
    await pair.spoke.client.create(ConfigMap, configMap(name, { a: '1' }) as never, { fieldManager: 'others' })
  }
  const strategy = (name: string, updateStrategy: object) => ({
    resourceIdentifier: { resource: 'configmaps', ...inDefault(name) },
    updateStrategy,
  })
  const manifestConfigs = [
    strategy('readonly', { type: 'ReadOnly' }),
    strategy('createonly', { type: 'CreateOnly' }),
    strategy('applied', { type: 'ServerSideApply' }),
  ]
  const manifests = ['readonly', 'createonly', 'applied'].map((name) => configMap(name, { a: '2' }))
  const changes = await tryOut(pair, manifests, { manifestConfigs } as never)
  assert.deepEqual(actions(changes), ['None', 'None', 'Refused'])
  assert.match(changes[2]?.message ?? '', /conflict with "others".*data\.a.*serverSideApply\.force/s)
})

test('dry run: warns of fields that another field manager owns and that change', async (t) => {
  const pair = await startPair(t)
  await pair.spoke.client.create(Deployment, deployment(1, 'web:1') as never, { fieldManager: 'work-agent' })
  const patch = { spec: { replicas: 5 } }
  await pair.spoke.client.patch(Deployment, inDefault('web'), patch, { fieldManager: 'autoscaler' })
  const [image] = await tryOut(pair, [deployment(5, 'web:2')])
  assert.deepEqual([image?.action, image?.warnings], ['Update', undefined])
  const [scaled] = await tryOut(pair, [deployment(2, 'web:1')])
  assert.deepEqual(scaled?.warnings, ['spec.replicas is managed by "autoscaler" and changes from 5 to 2'])
})

test('dry run: masks the values of Secrets and shows which of them change', async (t) => {
  const pair = await startPair(t)
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"b2xk"}}' }
  const data = { a: 'b2xk', b: 'c2FtZQ==' }
  const metadata = { ...inDefault('s'), annotations }
  await pair.spoke.client.create(Secret, { metadata, data }, { fieldManager: 'others' })
  const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('s') }
  const changes = await tryOut(pair, [{ ...manifest, data: { a: 'bmV3', b: 'c2FtZQ==' } }])
  assert.deepEqual(changes[0]?.before?.data, { a: '*** (before)', b: '***' })
  assert.deepEqual(changes[0]?.after?.data, { a: '*** (after)', b: '***' })
  const [replaced] = await tryOut(pair, [{ ...manifest, type: 'example.com/other', data: { a: 'bmV3' } }])
  assert.equal(replaced?.action, 'Update')
  assert.doesNotMatch(JSON.stringify([changes, replaced]), /b2xk|bmV3|c2FtZQ/)
  assert.match(changes[0]?.warnings?.[0] ?? '', /^data\.a is managed by "others" and changes$/)
  assert.deepEqual((await pair.spoke.client.get(Secret, inDefault('s'))).data, data)
})

test('dry run: marks objects whose namespace or kind comes with the same workload', async (t) => {
  const pair = await startPair(t)
  const names = { kind: 'Thing', plural: 'things', singular: 'thing' }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }
  const changes = await tryOut(pair, [
    { ...configMap('a', {}), metadata: { namespace: 'shop', name: 'a' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' } },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: { group: 'example.com', scope: 'Cluster', names, versions: [version] },
    },
  ])
  assert.deepEqual(actions(changes), ['Unchecked', 'Create', 'Unchecked', 'Create'])
  assert.match(changes[0]?.message ?? '', /namespace shop/)
  assert.match(changes[2]?.message ?? '', /kind Thing/)
})

test('dry run: shows nothing of an object that the executor may not read', async (t) => {
  const pair = await startPair(t)
  await pair.spoke.client.create(ConfigMap, configMap('private', { a: 'hidden' }) as never)
  const serviceAccount = { namespace: 'default', name: 'deployer' }
  const executor = { subject: { type: 'ServiceAccount', serviceAccount } }
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'patch', 'delete'] }]
  await pair.spoke.client.create(Role, { metadata: inDefault('writer'), rules })
  await pair.spoke.client.create(RoleBinding, {
    metadata: inDefault('writer'),
    roleRef: { apiGroup: Role.group, kind: 'Role', name: 'writer' },
    subjects: [{ kind: 'ServiceAccount', ...serviceAccount }],
  })
  const [change] = await tryOut(pair, [configMap('private', { a: 'x' })], { executor } as never)
  assert.equal(change?.action, 'Refused')
  assert.match(change?.message ?? '', /not allowed to apply the resource/)
  assert.doesNotMatch(JSON.stringify(change), /hidden/)
})

test('dry run: rejects the Secrets of the agent', async (t) => {
  const pair = await startPair(t)
  await pair.spoke.client.create(Namespace, { metadata: { name: 'agent-home' } })
  const metadata = { namespace: 'agent-home', name: 'hub-kubeconfig-secret' }
  await pair.spoke.client.create(Secret, { metadata, data: { kubeconfig: 'c2VjcmV0' } })
  const [change] = await tryOut(pair, [{ apiVersion: 'v1', kind: 'Secret', metadata, data: {} }])
  assert.equal(change?.action, 'Refused')
  assert.match(change?.message ?? '', /works cannot read or change Secrets in namespace "agent-home"/)
})

test('dry run: omits objects that do not fit into the status', async (t) => {
  const pair = await startPair(t)
  const manifests = [
    configMap('small', { a: '1' }),
    ...['x', 'y'].map((name) => configMap(name, { a: name.repeat(600_000) })),
  ]
  const changes = await tryOut(pair, manifests)
  assert.deepEqual(actions(changes), ['Create', 'Create', 'Create'])
  assert.deepEqual(changes[0]?.after?.data, { a: '1' })
  const omitted = changes.filter(({ after }) => after === undefined)
  assert.equal(omitted.length, 1)
  assert.match(omitted[0]?.message ?? '', /too large/)
})

test('dry run: an agent on a hub without dry runs checks once and does nothing else', async (t) => {
  const pair = await WorkPair.start(t)
  await start(t, pair)
  assert.deepEqual(
    pair.hub.requests.map(({ path, status }) => [path, status]),
    [['/apis/work.orrery.dev/v1alpha1', 404]],
  )
})
