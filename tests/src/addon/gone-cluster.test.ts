import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgentAddon, hostedByAnnotation } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  HOSTING_CLUSTER_ANNOTATION,
  MANIFEST_LOCATION_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  PRE_DELETE_ANNOTATION,
  WORK_FINALIZER,
} from '@orrery/api'
import { AddonHub, configMap } from './addon-hub.js'

const addon: AgentAddon = { name: 'hello', manifests: () => [] }
const REF = { namespace: 'c1', name: 'hello' }

async function createWork(hub: AddonHub, namespace: string, name: string, labels: Record<string, string>) {
  const spec = { workload: { manifests: [configMap('one') as never] } }
  return hub.client.create(ManifestWork, { metadata: { namespace, name, labels }, spec })
}

/** An add-on with everything that could hold it: a hook, and an agent on another cluster. */
const holding: AgentAddon = {
  name: 'hello',
  hostedMode: hostedByAnnotation,
  manifests: () => [
    configMap('one'),
    configMap('two', {}, { [MANIFEST_LOCATION_ANNOTATION]: 'hosting' }),
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'default', name: 'clean', annotations: { [PRE_DELETE_ANNOTATION]: '' } },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    },
  ],
}

test('addon-deploy-controller: deletes an add-on whose cluster is gone, with its works and without its hooks', async (t) => {
  const hub = await AddonHub.start(t, holding)
  await hub.cluster('c1')
  await hub.cluster('host')
  await hub.addon('c1', 'hello', { annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'host' } })
  const own = { namespace: 'c1', name: 'addon-hello-deploy-0' }
  const hosting = { namespace: 'host', name: 'addon-hello-deploy-hosting-c1-0' }
  await hub.hub.when(ManifestWork, own)
  await hub.hub.when(ManifestWork, hosting)
  await hub.hub.when(ManagedClusterAddOn, REF, ({ metadata }) => metadata.finalizers?.length === 2)
  await hub.client.patch(ManifestWork, own, { metadata: { finalizers: [WORK_FINALIZER] } })
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.hub.whenGone(ManagedClusterAddOn, REF)
  await hub.hub.whenGone(ManifestWork, own)
  await hub.hub.whenGone(ManifestWork, hosting)
})

test('addon-deploy-controller: deletes works that wait for the agent of a cluster that is gone', async (t) => {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('c1')
  const ref = { namespace: 'c1', name: 'addon-hello-deploy-0' }
  await createWork(hub, 'c1', ref.name, { [ADDON_NAME_LABEL]: 'hello' })
  await hub.client.patch(ManifestWork, ref, { metadata: { finalizers: [WORK_FINALIZER] } })
  await hub.client.delete(ManifestWork, ref)
  await hub.settle()
  assert.notEqual(await hub.client.find(ManifestWork, ref), undefined, 'the agent may still remove the objects')
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.hub.whenGone(ManifestWork, ref)
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
