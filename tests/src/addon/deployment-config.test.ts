import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEPLOYMENT_CONFIG, deploymentConfig } from '@orrery/addon'
import { AddOnDeploymentConfig, ClusterManagementAddOn, ManagedClusterAddOn } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { silentLogger } from '@orrery/kube/log'
import { HubServer } from '../hub/hub-server.js'

const REF = { namespace: 'c1', name: 'hello' }
const { group, resource } = DEPLOYMENT_CONFIG

test('deploymentConfig: reads no namespace that only the status of the add-on names', async (t) => {
  const hub = await HubServer.start(t, { controllers: () => [] })
  for (const namespace of ['c1', 'defaults', 'placed', 'own', 'tenant-b']) {
    await hub.client.create(Namespace, { metadata: { name: namespace } })
    const customizedVariables = [{ name: 'FROM', value: namespace }]
    await hub.client.create(AddOnDeploymentConfig, {
      metadata: { namespace, name: 'settings' },
      spec: { customizedVariables },
    })
  }
  const named = (namespace: string) => ({ group, resource, namespace, name: 'named' })
  await hub.client.create(ClusterManagementAddOn, {
    metadata: { name: 'hello' },
    spec: {
      defaultConfigs: [named('defaults')],
      installStrategy: {
        type: 'Placements',
        placements: [{ namespace: 'placed', name: 'all', configs: [named('placed')] }],
      },
    },
  })
  await hub.client.create(ManagedClusterAddOn, { metadata: REF, spec: { configs: [named('own')] } })
  const read = async (namespace: string) => {
    const desiredConfig = { namespace, name: 'settings', specHash: 'x' }
    const status = { configReferences: [{ group, resource, desiredConfig }] }
    const addon = await hub.client.patch(ManagedClusterAddOn, REF, { status }, { subresource: 'status' })
    const { signal } = new AbortController()
    const config = await deploymentConfig(addon, { client: hub.client, log: silentLogger, signal })
    return config?.spec.customizedVariables?.[0]?.value
  }
  // A cluster that waits for a rollout has the configuration before: other names in the same namespaces are read.
  for (const namespace of ['defaults', 'placed', 'own', 'c1']) assert.equal(await read(namespace), namespace)
  await assert.rejects(
    read('tenant-b'),
    /status\.configReferences of addon c1\/hello names addondeploymentconfigs tenant-b\/settings: neither its spec\.configs/,
  )
})
