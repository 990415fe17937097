import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentAddon } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  HOSTING_MANIFESTS_FINALIZER,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import { AddonHub } from './addon-hub.js'

const addon: AgentAddon = { name: 'hello', manifests: () => [] }
const REF = { namespace: 'c1', name: 'hello' }

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'one' } }

async function createWork(hub: AddonHub, namespace: string, name: string, labels: Record<string, string>) {
  const spec = { workload: { manifests: [configMap] } }
  return hub.client.create(ManifestWork, { metadata: { namespace, name, labels }, spec })
}

test('addon-deploy-controller: deletes an add-on whose cluster is gone, with its works and without its hooks', async (t) => {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('c1')
  await hub.cluster('host')
  const created = await hub.addon('c1', 'hello')
  const finalizers = [PRE_DELETE_FINALIZER, HOSTING_MANIFESTS_FINALIZER]
  await hub.client.patch(ManagedClusterAddOn, REF, { metadata: { finalizers, uid: created.metadata.uid } })
  await createWork(hub, 'c1', 'addon-hello-deploy-0', { [ADDON_NAME_LABEL]: 'hello' })
  const hosted = { [ADDON_NAME_LABEL]: 'hello', [ADDON_NAMESPACE_LABEL]: 'c1' }
  await createWork(hub, 'host', 'addon-hello-deploy-hosting-c1-0', hosted)
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.hub.whenGone(ManagedClusterAddOn, REF)
  await hub.hub.whenGone(ManifestWork, { namespace: 'c1', name: 'addon-hello-deploy-0' })
  await hub.hub.whenGone(ManifestWork, { namespace: 'host', name: 'addon-hello-deploy-hosting-c1-0' })
})

test('addon-deploy-controller: keeps an add-on that was created before its cluster', async (t) => {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('c1')
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.addon('c1', 'hello', { registered: false })
  await hub.settle()
  assert.notEqual(await hub.client.find(ManagedClusterAddOn, REF), undefined)
})

test('addon-deploy-controller: keeps the add-ons of others', async (t) => {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('c1')
  await hub.addon('c1', 'other')
  await hub.addon('c1', 'hello')
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.hub.whenGone(ManagedClusterAddOn, REF)
  await hub.settle()
  assert.notEqual(await hub.client.find(ManagedClusterAddOn, { namespace: 'c1', name: 'other' }), undefined)
})

test('addon-deploy-controller: deletes works for a hosting cluster whose add-on is gone', async (t) => {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('host')
  const hosted = { [ADDON_NAME_LABEL]: 'hello', [ADDON_NAMESPACE_LABEL]: 'c1' }
  await createWork(hub, 'host', 'addon-hello-deploy-hosting-c1-0', hosted)
  await hub.hub.whenGone(ManifestWork, { namespace: 'host', name: 'addon-hello-deploy-hosting-c1-0' })
})
