import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AgentAddon, configControllers, configSpecHash } from '@orrery/addon'
import {
  AddOnDeploymentConfig,
  ClusterManagementAddOn,
  type ConfigReference,
  type ConfigSpecHash,
  ManagedClusterAddOn,
} from '@orrery/api'
import { ConfigMap, Namespace } from '@orrery/kinds'
import { writeStatus } from '@orrery/kube'
import type { HubServer } from '../hub/hub-server.js'
import { clusterWithNamespace, ownedAddon, partHub } from './part-hub.js'

const ADC = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' }
const MAPS = { group: '', resource: 'configmaps' }
const REF = { namespace: 'c1', name: 'hello' }

const hello: AgentAddon = {
  name: 'hello',
  manifests: () => [],
  supportedConfigs: [
    { ...ADC, version: 'v1beta1' },
    { ...MAPS, version: 'v1' },
  ],
}

async function started(t: TestContext): Promise<HubServer> {
  const hub = await partHub(t, [hello], configControllers)
  await hub.client.create(Namespace, { metadata: { name: 'configs' } })
  await clusterWithNamespace(hub, 'c1')
  await ownedAddon(hub, 'c1', 'hello')
  return hub
}

const desired = (name: string): ConfigSpecHash => ({ namespace: 'configs', name })

test('configControllers: an add-on without supported configurations needs none', async (t) => {
  let count: number | undefined
  await partHub(t, [{ name: 'a', manifests: () => [] }], (context) => {
    const controllers = configControllers(context)
    count = controllers.length
    return controllers
  })
  assert.equal(count, 0)
})

test('addonConfig: keeps the hash of configurations of the add-on itself, and all generations', async (t) => {
  const hub = await started(t)
  const settings = { metadata: { namespace: 'configs', name: 'own' }, spec: { agentInstallNamespace: 'x' } }
  const own = await hub.client.create(AddOnDeploymentConfig, settings)
  const map = await hub.client.create(ConfigMap, { metadata: { namespace: 'configs', name: 'map' }, data: { a: '1' } })
  const addon = await hub.client.patch(ManagedClusterAddOn, REF, {
    spec: { configs: [{ ...ADC, namespace: 'configs', name: 'own' }] },
  })
  const unsupported = { group: 'example.com', resource: 'widgets', desiredConfig: { name: 'w' } }
  const configReferences: ConfigReference[] = [
    { ...ADC, desiredConfig: desired('own') },
    { ...MAPS, desiredConfig: desired('map') },
    unsupported,
    { ...MAPS, desiredConfig: desired('missing') },
  ]
  await writeStatus(hub.client, ManagedClusterAddOn, addon, (current) => ({ ...current.status, configReferences }))

  const done = await hub.when(ManagedClusterAddOn, REF, ({ status }) => hashOf(status?.configReferences) !== undefined)
  assert.equal(own.metadata.generation, 1)
  assert.equal(map.metadata.generation, undefined)
  assert.deepEqual(done.status?.configReferences, [
    { ...ADC, desiredConfig: { ...desired('own'), specHash: configSpecHash(own) }, lastObservedGeneration: 1 },
    ...configReferences.slice(1),
  ])
  await hub.settle()
  const settled = await hub.client.get(ManagedClusterAddOn, REF)
  assert.equal(settled.metadata.resourceVersion, done.metadata.resourceVersion)

  const changed = await hub.client.patch(AddOnDeploymentConfig, own.metadata, { spec: { agentInstallNamespace: 'y' } })
  const after = await hub.when(
    ManagedClusterAddOn,
    REF,
    ({ status }) => status?.configReferences?.[0]?.lastObservedGeneration === 2,
  )
  assert.equal(hashOf(after.status?.configReferences), configSpecHash(changed))
})

test('managementAddonConfig: keeps the hashes of all configurations, and drops those of deleted ones', async (t) => {
  const hub = await started(t)
  const data = { metadata: { namespace: 'configs', name: 'map' }, data: { a: '1' } }
  const map = await hub.client.create(ConfigMap, data)
  const addon = await hub.client.get(ClusterManagementAddOn, { name: 'hello' })
  const reference = { ...MAPS, desiredConfig: desired('map') }
  const without = { ...MAPS, desiredConfig: { ...desired('none'), specHash: 'old' } }
  await writeStatus(hub.client, ClusterManagementAddOn, addon, () => ({
    defaultConfigReferences: [reference, without],
    installProgressions: [{ namespace: 'p', name: 'all', configReferences: [reference] }],
  }))
  const hashed = { ...MAPS, desiredConfig: { ...desired('map'), specHash: configSpecHash(map) } }
  const isHashed = ({ status }: ClusterManagementAddOn) => hashOf(status?.defaultConfigReferences) !== undefined
  const done = await hub.when(ClusterManagementAddOn, { name: 'hello' }, isHashed)
  assert.deepEqual(done.status, {
    defaultConfigReferences: [hashed, { ...MAPS, desiredConfig: desired('none') }],
    installProgressions: [{ namespace: 'p', name: 'all', configReferences: [hashed] }],
  })
  await hub.settle()
  const settled = await hub.client.get(ClusterManagementAddOn, { name: 'hello' })
  assert.equal(settled.metadata.resourceVersion, done.metadata.resourceVersion)
  await hub.client.delete(ConfigMap, map.metadata)
  await hub.when(ClusterManagementAddOn, { name: 'hello' }, (current) => !isHashed(current))
})

function hashOf(references: readonly { readonly desiredConfig?: ConfigSpecHash }[] | undefined): string | undefined {
  return references?.[0]?.desiredConfig?.specHash
}
