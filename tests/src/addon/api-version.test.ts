import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AddonManager,
  type AgentAddon,
  addonApiVersion,
  addonClient,
  DEPLOYMENT_CONFIG,
  grantRole,
  installNamespaceFromConfig,
} from '@orrery/addon'
import {
  AddOnDeploymentConfig,
  addOnConverters,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
} from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { installHub } from '@orrery/hub'
import { CustomResourceDefinition, Namespace, RoleBinding } from '@orrery/kinds'
import { isNotFound, ownerReferenceTo, writeStatus } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { eventually } from '@orrery/kube/testing'

const REF = { namespace: 'c1', name: 'hello' }
const ROLE = 'hello-agent'

const hello: AgentAddon = {
  name: 'hello',
  manifests: () => [],
  supportedConfigs: [DEPLOYMENT_CONFIG],
  agentInstallNamespace: installNamespaceFromConfig,
  registration: {
    configurations: () => [{ type: 'kubeClient' }],
    permissions: grantRole({ name: ROLE, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] }),
  },
}

test('addonClient: an add-on manager works on a hub that serves only v1alpha1', async (t) => {
  const server = await startApiServer({ host: false, converters: addOnConverters })
  t.after(() => server.close())
  const client = server.client({ fieldManager: 'test' })
  assert.equal(await addonApiVersion(client), undefined)
  await installHub(client)
  assert.equal(await addonApiVersion(client), 'v1beta1')
  for (const { plural, group } of [ClusterManagementAddOn, ManagedClusterAddOn, AddOnDeploymentConfig]) {
    const crd = await client.get(CustomResourceDefinition, { name: `${plural}.${group}` })
    const versions = crd.spec.versions.map((version) => ({ ...version, served: version.name === 'v1alpha1' }))
    await client.patch(CustomResourceDefinition, { name: crd.metadata.name }, { spec: { versions } })
  }
  await eventually('the hub serves v1alpha1 only', async () => (await addonApiVersion(client)) === 'v1alpha1')
  await assert.rejects(client.list(ManagedClusterAddOn), isNotFound)

  const manager = new AddonManager({ client, log: silentLogger })
  manager.addAgent(hello)
  await manager.start()
  t.after(() => manager.close())

  const addons = addonClient(client)
  await client.create(Namespace, { metadata: { name: 'c1' } })
  await client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } })
  const owner = await addons.create(ClusterManagementAddOn, { metadata: { name: 'hello' }, spec: {} })
  const ownerReferences = [ownerReferenceTo(owner, ClusterManagementAddOn)]
  await addons.create(ManagedClusterAddOn, { metadata: { ...REF, ownerReferences }, spec: {} })
  const when = async (what: string, holds: (addon: ManagedClusterAddOn) => boolean) => {
    let found: ManagedClusterAddOn | undefined
    await eventually(what, async () => {
      found = await addons.find(ManagedClusterAddOn, REF)
      return found !== undefined && holds(found)
    })
    return found as ManagedClusterAddOn
  }
  const pending = await when('the agent is registered', ({ status }) => status?.registrations?.length === 1)
  await writeStatus(addons, ManagedClusterAddOn, pending, ({ status }) => ({
    ...status,
    registrations: [{ type: 'kubeClient' as const, kubeClient: { driver: 'csr' as const } }],
  }))
  const done = await when('the agent has permissions', ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'SetPermissionApplied'),
  )
  assert.equal(done.apiVersion, 'addon.open-cluster-management.io/v1beta1')
  assert.equal(done.status?.registrations?.[0]?.kubeClient?.driver, 'csr')

  const stored = await client.get(ManagedClusterAddOnV1Alpha1, REF)
  assert.equal(stored.status?.kubeClientDriver, 'csr')
  assert.equal(stored.status?.registrations?.[0]?.signerName, 'kubernetes.io/kube-apiserver-client')
  assert.equal(stored.metadata.ownerReferences?.[0]?.apiVersion, 'addon.open-cluster-management.io/v1alpha1')
  const binding = await client.get(RoleBinding, { namespace: 'c1', name: ROLE })
  assert.equal(binding.metadata.ownerReferences?.[0]?.apiVersion, 'addon.open-cluster-management.io/v1alpha1')

  await addons.delete(ManagedClusterAddOn, REF)
  await eventually('the permissions are deleted', async () => {
    return (await client.find(RoleBinding, { namespace: 'c1', name: ROLE })) === undefined
  })
})
