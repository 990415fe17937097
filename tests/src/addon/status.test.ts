import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ClusterManagementAddOn,
  ClusterManagementAddOnV1Alpha1,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
  ManifestWork,
} from '@orrery/api'
import type { ConditionStatus } from '@orrery/kinds'
import { writeConditions } from '@orrery/kube'
import { HubServer } from '../hub/hub-server.js'
import { decide } from '../hub/works.js'
import {
  ADDON,
  applyOn,
  conditionOf,
  define,
  deploymentConfig,
  FEATURES,
  hashDefinition,
  isInstalledOn,
  onCluster,
  placedBy,
  reports,
  setOn,
  withClusters,
} from './addons.js'

const FEATURE = `feature.open-cluster-management.io/addon-${ADDON}`

async function clusterIs(hub: HubServer, name: string, status: ConditionStatus, reason: string): Promise<void> {
  const finding = { type: 'ManagedClusterConditionAvailable', status, reason, message: `because of ${reason}` }
  const cluster = await hub.client.get(ManagedCluster, { name })
  await writeConditions(hub.client, ManagedCluster, cluster, [finding], { clock: hub.clock })
}

test('unreachableAddOns: add-ons of an unreachable cluster are Unknown with its reason', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2')
  await define(hub)
  for (const cluster of ['c1', 'c2']) {
    await hub.client.create(ManagedClusterAddOn, { metadata: onCluster(cluster), spec: {} })
    await setOn(hub, cluster, 'Available', 'True')
  }
  await clusterIs(hub, 'c1', 'Unknown', 'ManagedClusterLeaseUpdateStopped')
  const unknown = reports('Available', 'Unknown', 'ManagedClusterLeaseUpdateStopped')
  const addOn = await hub.when(ManagedClusterAddOn, onCluster('c1'), unknown)
  assert.equal(conditionOf(addOn, 'Available')?.message, 'because of ManagedClusterLeaseUpdateStopped')
  await clusterIs(hub, 'c2', 'False', 'ManagedClusterKubeAPIServerUnavailable')
  await hub.settle()
  assert.ok(reports('Available', 'True', 'Reported')(await hub.client.get(ManagedClusterAddOn, onCluster('c2'))))
  // The agent reports again when the cluster is back. Nothing overwrites it.
  await clusterIs(hub, 'c1', 'True', 'ManagedClusterAvailable')
  await setOn(hub, 'c1', 'Available', 'True')
  await hub.settle()
  assert.ok(reports('Available', 'True', 'Reported')(await hub.client.get(ManagedClusterAddOn, onCluster('c1'))))
})

test('featureLabels: a cluster has labels with the state of its add-ons', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  const isLabelled = (value: string | undefined) =>
    hub.when(ManagedCluster, { name: 'c1' }, ({ metadata }) => metadata.labels?.[FEATURE] === value)
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c1'), spec: {} })
  await hub.settle()
  await isLabelled(undefined)
  await clusterIs(hub, 'c1', 'True', 'ManagedClusterAvailable')
  await isLabelled('unreachable')
  await setOn(hub, 'c1', 'Available', 'True')
  await isLabelled('available')
  await setOn(hub, 'c1', 'Available', 'False')
  await isLabelled('unhealthy')
  await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { [FEATURE]: 'available' } } })
  await isLabelled('unhealthy')
  await hub.client.delete(ManagedClusterAddOn, onCluster('c1'))
  await isLabelled(undefined)
})

test('featureLabels: changes of many add-ons of a cluster are written together', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  const createAddOns = (prefix: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        hub.client.create(ManagedClusterAddOn, { metadata: { namespace: 'c1', name: `${prefix}${index}` }, spec: {} }),
      ),
    )
  const labels = ({ metadata }: ManagedCluster) =>
    Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith('feature.')).length
  await createAddOns('a', 120)
  await hub.settle()
  await clusterIs(hub, 'c1', 'True', 'ManagedClusterAvailable')
  await hub.when(ManagedCluster, { name: 'c1' }, (cluster) => labels(cluster) === 120)
  await createAddOns('b', 30)
  await hub.settle()
  assert.equal(labels(await hub.client.get(ManagedCluster, { name: 'c1' })), 120)
  hub.clock.advance(120)
  await hub.when(ManagedCluster, { name: 'c1' }, (cluster) => labels(cluster) === 150)
})

test('addonControllers: nothing is written when nothing changes, and a change touches one cluster only', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  const clusters = ['c1', 'c2', 'c3']
  await withClusters(hub, ...clusters)
  await decide(hub, 'p1', clusters)
  await define(hub, { defaultConfigs: [deploymentConfig('default')], installStrategy: placedBy('p1') })
  await isInstalledOn(hub, ...clusters)
  await hashDefinition(hub, { default: 'v1' })
  await hub.settle()
  await applyOn(hub, ...clusters)
  for (const cluster of clusters) {
    await hub.when(ManagedClusterAddOn, onCluster(cluster), reports('Progressing', 'False', 'Completed'))
  }
  const versions = async () => {
    const { items: addOns } = await hub.client.list(ManagedClusterAddOn)
    const { items: definitions } = await hub.client.list(ClusterManagementAddOn)
    const { items: labelled } = await hub.client.list(ManagedCluster)
    return Object.fromEntries(
      [...addOns, ...definitions, ...labelled].map(({ kind, metadata }) => {
        return [`${kind} ${metadata.namespace ?? metadata.name}`, metadata.resourceVersion]
      }),
    )
  }
  await hub.settle()
  const before = await versions()
  // A restart reconciles everything.
  await hub.stopControllers()
  await hub.startControllers()
  await hub.settle()
  assert.deepEqual(await versions(), before)
  await setOn(hub, 'c2', 'Available', 'False')
  await hub.settle()
  const work = await hub.client.get(ManifestWork, { namespace: 'c2', name: `addon-${ADDON}-deploy-0` })
  const finding = { type: 'Available', status: 'False', reason: 'Reported', observedGeneration: 1 } as const
  await writeConditions(hub.client, ManifestWork, work, [finding], { clock: hub.clock })
  const addOn = await hub.when(ManagedClusterAddOn, onCluster('c2'), reports('Progressing', 'True', 'Progressing'))
  assert.equal(conditionOf(addOn, 'Progressing')?.message, 'progressing... work is not ready')
  await hub.settle()
  const after = await versions()
  const { 'ManagedClusterAddOn c2': _, ...others } = before
  assert.deepEqual(
    { ...after, 'ManagedClusterAddOn c2': undefined },
    { ...others, 'ManagedClusterAddOn c2': undefined },
  )
})

test('addonControllers: clients of v1alpha1 see the same state', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await decide(hub, 'p1', ['c1'])
  const { group, resource, ...defaultConfig } = deploymentConfig('default')
  await hub.client.create(ClusterManagementAddOnV1Alpha1, {
    metadata: { name: ADDON },
    spec: { supportedConfigs: [{ group, resource, defaultConfig }], installStrategy: placedBy('p1') },
  })
  await isInstalledOn(hub, 'c1')
  await hashDefinition(hub, { default: 'v1' })
  const desiredConfig = { ...defaultConfig, specHash: 'v1' }
  const addOn = await hub.when(ManagedClusterAddOnV1Alpha1, onCluster('c1'), ({ status }) => {
    return status?.configReferences?.[0]?.desiredConfig?.specHash === 'v1'
  })
  assert.deepEqual(addOn.status?.configReferences, [{ group, resource, ...defaultConfig, desiredConfig }])
  const definition = await hub.client.get(ClusterManagementAddOnV1Alpha1, { name: ADDON })
  assert.deepEqual(definition.status?.defaultconfigReferences, [{ group, resource, desiredConfig }])
  assert.equal(definition.status?.installProgressions?.[0]?.name, 'p1')
})
