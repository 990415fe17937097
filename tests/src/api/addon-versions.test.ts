import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ADDON_GROUP,
  ADDON_NAMESPACE,
  AddOnDeploymentConfig,
  AddOnDeploymentConfigV1Alpha1,
  ClusterManagementAddOn,
  ClusterManagementAddOnV1Alpha1,
  INSTALL_NAMESPACE_ANNOTATION,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
  NO_DEFAULT_CONFIG,
} from '@orrery/api'
import { type ApiObject, type Kind, Namespace } from '@orrery/kinds'
import { isConflict, StatusError } from '@orrery/kinds/values'
import { type KindServer, startKindServer } from './kind-server.js'

const ALPHA = `${ADDON_GROUP}/v1alpha1`
const BETA = `${ADDON_GROUP}/v1beta1`
const CLUSTER = 'cluster1'
const CONFIG = { group: ADDON_GROUP, resource: 'addondeploymentconfigs' }
const TEMPLATE = { group: ADDON_GROUP, resource: 'addontemplates' }
const CONDITION = {
  type: 'Available',
  status: 'True',
  reason: 'ManagedClusterAddOnLeaseUpdated',
  message: 'helloworld add-on is available.',
  lastTransitionTime: '2021-07-09T02:52:49Z',
} as const

let server: KindServer
before(async () => {
  server = await startKindServer()
  await server.client.create(Namespace, { metadata: { name: CLUSTER } })
})
after(() => server.close())

test('ClusterManagementAddOn: written in one version, read in the other', async () => {
  const { client } = server
  const ref = { name: 'both' }
  const written = await client.create(ClusterManagementAddOnV1Alpha1, {
    metadata: ref,
    spec: {
      addOnMeta: { displayName: 'Both' },
      supportedConfigs: [{ ...CONFIG, defaultConfig: { namespace: 'default', name: 'usual' } }, TEMPLATE],
    },
  })
  const read = await client.get(ClusterManagementAddOn, ref)
  assert.equal(read.apiVersion, BETA)
  assert.equal(read.metadata.resourceVersion, written.metadata.resourceVersion)
  assert.deepEqual(read.spec, {
    addOnMeta: { displayName: 'Both' },
    defaultConfigs: [
      { ...CONFIG, namespace: 'default', name: 'usual' },
      { ...TEMPLATE, name: NO_DEFAULT_CONFIG },
    ],
    installStrategy: { type: 'Manual' },
  })

  const same = await client.update(ClusterManagementAddOn, read)
  assert.equal(same.metadata.resourceVersion, written.metadata.resourceVersion, 'what is read and written is no change')

  const template = { ...TEMPLATE, name: 'hello' }
  read.spec.defaultConfigs = [...(read.spec.defaultConfigs ?? []).slice(0, 1), template]
  const changed = await client.update(ClusterManagementAddOn, read)
  const back = await client.get(ClusterManagementAddOnV1Alpha1, ref)
  assert.equal(back.metadata.generation, 2)
  assert.equal(back.metadata.resourceVersion, changed.metadata.resourceVersion)
  assert.deepEqual(back.spec.supportedConfigs, [
    { ...CONFIG, defaultConfig: { namespace: 'default', name: 'usual' } },
    { ...TEMPLATE, defaultConfig: { name: 'hello' } },
  ])
})

test('ClusterManagementAddOn: converts the status in both directions', async () => {
  const { client } = server
  const ref = { name: 'reported' }
  const addOn = await client.create(ClusterManagementAddOn, { metadata: ref, spec: {} })
  const reference = { ...CONFIG, desiredConfig: { name: 'usual', specHash: '1f3a' } }
  const reported = { ...addOn, status: { defaultConfigReferences: [reference] } }
  await client.update(ClusterManagementAddOn, reported, { subresource: 'status', fieldValidation: 'Strict' })
  const alpha = await client.get(ClusterManagementAddOnV1Alpha1, ref)
  assert.deepEqual(alpha.status, { defaultconfigReferences: [reference] })

  await client.patch(
    ClusterManagementAddOnV1Alpha1,
    ref,
    { status: { defaultconfigReferences: [] } },
    { subresource: 'status' },
  )
  assert.deepEqual((await client.get(ClusterManagementAddOn, ref)).status, { defaultConfigReferences: [] })
})

test('ManagedClusterAddOn: keeps its namespace and registrations', async () => {
  const { client } = server
  const ref = { namespace: CLUSTER, name: 'helloworld' }
  await client.create(ManagedClusterAddOnV1Alpha1, { metadata: ref, spec: { installNamespace: 'hello' } })
  const subject = { user: 'agent', groups: ['addon'] }
  await client.patch(
    ManagedClusterAddOnV1Alpha1,
    ref,
    {
      status: {
        conditions: [CONDITION],
        registrations: [{ signerName: 'kubernetes.io/kube-apiserver-client', subject }],
        kubeClientDriver: 'csr',
      },
    },
    { subresource: 'status', fieldValidation: 'Strict' },
  )
  const beta = await client.get(ManagedClusterAddOn, ref)
  assert.deepEqual(beta.spec, {})
  assert.equal(beta.metadata.annotations?.[INSTALL_NAMESPACE_ANNOTATION], 'hello')
  assert.deepEqual(beta.status, {
    conditions: [CONDITION],
    registrations: [{ type: 'kubeClient', kubeClient: { subject, driver: 'csr' } }],
  })

  await client.patch(
    ManagedClusterAddOn,
    ref,
    { status: { registrations: [{ type: 'kubeClient', kubeClient: { subject, driver: 'token' } }] } },
    { subresource: 'status', fieldValidation: 'Strict' },
  )
  const alpha = await client.get(ManagedClusterAddOnV1Alpha1, ref)
  assert.equal(alpha.spec.installNamespace, 'hello')
  assert.equal(alpha.metadata.annotations, undefined)
  assert.equal(alpha.status?.kubeClientDriver, 'token')
  assert.deepEqual(alpha.status?.conditions, [CONDITION])
})

test('ManagedClusterAddOn: defaults installNamespace in v1alpha1', async () => {
  const { client } = server
  const ref = { namespace: CLUSTER, name: 'anywhere' }
  await client.create(ManagedClusterAddOn, { metadata: ref, spec: {} })
  assert.equal((await client.get(ManagedClusterAddOnV1Alpha1, ref)).spec.installNamespace, ADDON_NAMESPACE)
  const { annotations } = (await client.get(ManagedClusterAddOn, ref)).metadata
  assert.deepEqual(annotations, { [INSTALL_NAMESPACE_ANNOTATION]: ADDON_NAMESPACE })
})

test('ManagedClusterAddOn: ignores an annotation with an invalid namespace', async () => {
  const { client } = server
  const ref = { namespace: CLUSTER, name: 'smuggler' }
  const annotations = { [INSTALL_NAMESPACE_ANNOTATION]: '../kube-system' }
  await client.create(ManagedClusterAddOn, { metadata: { ...ref, annotations }, spec: {} })
  assert.equal((await client.get(ManagedClusterAddOnV1Alpha1, ref)).spec.installNamespace, ADDON_NAMESPACE)
})

test('AddOnDeploymentConfig: is the same in both versions', async () => {
  const { client } = server
  const ref = { namespace: CLUSTER, name: 'usual' }
  const spec = { registries: [{ source: 'quay.io/a', mirror: 'registry.example.com/a' }] }
  const written = await client.create(AddOnDeploymentConfigV1Alpha1, { metadata: ref, spec })
  const read = await client.get(AddOnDeploymentConfig, ref)
  assert.equal(read.apiVersion, BETA)
  assert.deepEqual(read.spec, { ...spec, agentInstallNamespace: ADDON_NAMESPACE })
  assert.deepEqual(read.spec, written.spec)
})

test('list: returns the requested version', async () => {
  const { client } = server
  await client.create(ClusterManagementAddOnV1Alpha1, { metadata: { name: 'list-alpha' }, spec: {} })
  await client.create(ClusterManagementAddOn, {
    metadata: { name: 'list-beta' },
    spec: { defaultConfigs: [{ ...CONFIG, name: 'usual' }] },
  })
  const names = (items: readonly ApiObject[]) => items.map(({ metadata }) => metadata.name)
  const alpha = await client.list(ClusterManagementAddOnV1Alpha1)
  const beta = await client.list(ClusterManagementAddOn)
  assert.deepEqual(names(alpha.items), names(beta.items))
  assert.deepEqual(new Set(alpha.items.map(({ apiVersion }) => apiVersion)), new Set([ALPHA]))
  assert.deepEqual(new Set(beta.items.map(({ apiVersion }) => apiVersion)), new Set([BETA]))
  const listed = alpha.items.find(({ metadata }) => metadata.name === 'list-beta')
  assert.deepEqual(listed?.spec.supportedConfigs, [{ ...CONFIG, defaultConfig: { name: 'usual' } }])
})

test('watch: returns the requested version for changes in any version', async () => {
  const { client } = server
  const ref = { namespace: CLUSTER, name: 'watched' }
  const { resourceVersion } = await client.list(ManagedClusterAddOn)
  const alpha = follow(ManagedClusterAddOnV1Alpha1, resourceVersion)
  const beta = follow(ManagedClusterAddOn, resourceVersion)
  await client.create(ManagedClusterAddOnV1Alpha1, { metadata: ref, spec: { installNamespace: 'one' } })
  await client.patch(ManagedClusterAddOn, ref, {
    metadata: { annotations: { [INSTALL_NAMESPACE_ANNOTATION]: 'two' } },
  })
  await client.delete(ManagedClusterAddOnV1Alpha1, ref)
  const told = ({ object, type }: { type: string; object: ApiObject }, where: string | undefined) => [
    type,
    object.apiVersion,
    where,
  ]
  assert.deepEqual(
    (await alpha).map((event) => told(event, event.object.spec.installNamespace)),
    [
      ['ADDED', ALPHA, 'one'],
      ['MODIFIED', ALPHA, 'two'],
      ['DELETED', ALPHA, 'two'],
    ],
  )
  assert.deepEqual(
    (await beta).map((event) => told(event, event.object.metadata.annotations?.[INSTALL_NAMESPACE_ANNOTATION])),
    [
      ['ADDED', BETA, 'one'],
      ['MODIFIED', BETA, 'two'],
      ['DELETED', BETA, 'two'],
    ],
  )
})

/** The events of a watch up to the first deletion. */
async function follow<T extends ApiObject>(kind: Kind<T, object>, resourceVersion: string) {
  const events: { type: string; object: T }[] = []
  for await (const event of server.client.watch(kind, { namespace: CLUSTER, resourceVersion })) {
    events.push(event)
    if (event.type === 'DELETED') break
  }
  return events
}

test('server-side apply: ownership holds across versions', async () => {
  const { client } = server
  const metadata = { name: 'applied' }
  const alpha = { supportedConfigs: [{ ...CONFIG, defaultConfig: { namespace: 'default', name: 'usual' } }] }
  await client.apply(ClusterManagementAddOnV1Alpha1, { metadata, spec: alpha }, { fieldManager: 'alpha' })
  const beta = { defaultConfigs: [{ ...CONFIG, namespace: 'default', name: 'other' }] }
  await assert.rejects(
    client.apply(ClusterManagementAddOn, { metadata, spec: beta }, { fieldManager: 'beta' }),
    (error) => isConflict(error) && error instanceof StatusError && error.message.includes('"alpha"'),
  )
  const forced = await client.apply(
    ClusterManagementAddOn,
    { metadata, spec: beta },
    { fieldManager: 'beta', force: true },
  )
  assert.deepEqual(forced.spec.defaultConfigs, beta.defaultConfigs)

  const template = { defaultConfigs: [{ ...TEMPLATE, name: 'hello' }] }
  await client.apply(ClusterManagementAddOn, { metadata, spec: template }, { fieldManager: 'other' })
  const { spec } = await client.get(ClusterManagementAddOnV1Alpha1, metadata)
  assert.deepEqual(spec.supportedConfigs, [
    { ...CONFIG, defaultConfig: { namespace: 'default', name: 'other' } },
    { ...TEMPLATE, defaultConfig: { name: 'hello' } },
  ])

  await client.apply(ClusterManagementAddOn, { metadata, spec: {} }, { fieldManager: 'other' })
  const left = await client.get(ClusterManagementAddOnV1Alpha1, metadata)
  assert.deepEqual(left.spec.supportedConfigs, [{ ...CONFIG, defaultConfig: { namespace: 'default', name: 'other' } }])
})
