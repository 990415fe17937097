import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ClusterManagementAddOn,
  HOSTING_CLUSTER_ANNOTATION,
  INSTALL_NAMESPACE_ANNOTATION,
  LIFECYCLE_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
  Placement,
  PlacementDecision,
  VALUES_ANNOTATION,
} from '@orrery/api'
import { HubServer } from '../hub/hub-server.js'
import { decide, NAMESPACE } from '../hub/works.js'
import { ADDON, define, FEATURES, isInstalledOn, onCluster, placedBy, withCluster, withClusters } from './addons.js'

test('addOnInstallation: installs on the clusters that placements select, and follows them', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2', 'c3', 'c4')
  await decide(hub, 'p1', ['c1', 'c2'])
  await decide(hub, 'p2', ['c2', 'c3'])
  const { metadata } = await define(hub, { installStrategy: placedBy('p1', 'p2') })
  const installed = await isInstalledOn(hub, 'c1', 'c2', 'c3')
  for (const addOn of installed) {
    assert.deepEqual(addOn.metadata.ownerReferences, [
      {
        apiVersion: 'addon.open-cluster-management.io/v1beta1',
        kind: 'ClusterManagementAddOn',
        name: ADDON,
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
  }
  await decide(hub, 'p1', ['c4'])
  await isInstalledOn(hub, 'c2', 'c3', 'c4')
  // A user deletes one, and creates one where no placement wants it.
  await hub.client.delete(ManagedClusterAddOn, onCluster('c2'))
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c1'), spec: {} })
  await isInstalledOn(hub, 'c2', 'c3', 'c4')
  await hub.client.delete(ClusterManagementAddOn, { name: ADDON })
  await isInstalledOn(hub)
})

test('addOnInstallation: keeps add-ons while a placement does not exist or has no decisions', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2')
  await decide(hub, 'p1', ['c1', 'c2'])
  await define(hub, { installStrategy: placedBy('p1') })
  await isInstalledOn(hub, 'c1', 'c2')
  await hub.client.delete(Placement, { namespace: NAMESPACE, name: 'p1' })
  await hub.eventually('the decisions are gone', async () => {
    return (await hub.client.list(PlacementDecision, { namespace: NAMESPACE })).items.length === 0
  })
  await isInstalledOn(hub, 'c1', 'c2')
  await decide(hub, 'p1', ['c2'])
  await isInstalledOn(hub, 'c2')
})

test('addOnInstallation: waits for the namespace of a cluster, and for the cluster', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await hub.client.create(ManagedCluster, { metadata: { name: 'c2' }, spec: {} })
  await decide(hub, 'p1', ['c1', 'c2', 'c3'])
  await define(hub, { installStrategy: placedBy('p1') })
  await isInstalledOn(hub, 'c1')
  await hub.client.patch(ManagedCluster, { name: 'c2' }, { spec: { hubAcceptsClient: true } })
  await withCluster(hub, 'c3')
  await isInstalledOn(hub, 'c1', 'c2', 'c3')
})

test('addOnInstallation: leaves add-ons alone that manage themselves or are installed by users', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2')
  await decide(hub, 'p1', ['c1'])
  await define(hub, { installStrategy: placedBy('p1') }, { [LIFECYCLE_ANNOTATION]: 'self' })
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c2'), spec: {} })
  const [selfManaged] = await isInstalledOn(hub, 'c2')
  assert.equal(selfManaged?.metadata.ownerReferences, undefined)
  assert.equal(selfManaged?.status?.conditions, undefined)
  // Then the hub manages it, but users install it.
  const metadata = { annotations: { [LIFECYCLE_ANNOTATION]: 'addon-manager' } }
  await hub.client.patch(
    ClusterManagementAddOn,
    { name: ADDON },
    { metadata, spec: { installStrategy: { type: 'Manual', placements: null } } },
  )
  await hub.when(ManagedClusterAddOn, onCluster('c2'), (addOn) => addOn.metadata.ownerReferences?.length === 1)
  await isInstalledOn(hub, 'c2')
})

test('addOnAnnotationSync: copies the annotations for add-ons of a cluster, and keeps those of users', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await withCluster(hub, 'c2', { [HOSTING_CLUSTER_ANNOTATION]: 'c1', unrelated: 'yes' })
  await decide(hub, 'p1', ['c1', 'c2'])
  await define(hub, { installStrategy: placedBy('p1') })
  const [first, second] = await isInstalledOn(hub, 'c1', 'c2')
  assert.deepEqual(annotationsOf(first), {})
  assert.deepEqual(annotationsOf(second), { [HOSTING_CLUSTER_ANNOTATION]: 'c1' })
  await hub.client.patch(ManagedClusterAddOn, onCluster('c2'), {
    metadata: { annotations: { [VALUES_ANNOTATION]: '{}' } },
  })
  const annotate = (annotations: Record<string, string | null>) =>
    hub.client.patch(ManagedCluster, { name: 'c2' }, { metadata: { annotations } })
  await annotate({ [HOSTING_CLUSTER_ANNOTATION]: 'c3' })
  await hub.when(ManagedClusterAddOn, onCluster('c2'), ({ metadata: { annotations } }) => {
    return annotations?.[HOSTING_CLUSTER_ANNOTATION] === 'c3'
  })
  await annotate({ [HOSTING_CLUSTER_ANNOTATION]: null })
  const addOn = await hub.when(ManagedClusterAddOn, onCluster('c2'), ({ metadata: { annotations } }) => {
    return annotations?.[HOSTING_CLUSTER_ANNOTATION] === undefined
  })
  assert.deepEqual(annotationsOf(addOn), { [VALUES_ANNOTATION]: '{}' })
  assert.equal(addOn.metadata.ownerReferences?.length, 1)
})

/** The annotations but for the default of `installNamespace`, which every add-on has. */
function annotationsOf(addOn: ManagedClusterAddOn | undefined): Record<string, string> {
  const { [INSTALL_NAMESPACE_ANNOTATION]: _, ...annotations } = addOn?.metadata.annotations ?? {}
  return annotations
}

test('addonControllers: without the gate AddonManagement, add-ons are not installed', async (t) => {
  const hub = await HubServer.start(t, { features: { ...FEATURES, AddonManagement: false } })
  await withClusters(hub, 'c1', 'c2')
  await decide(hub, 'p1', ['c1'])
  await define(hub, { installStrategy: placedBy('p1') })
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c2'), spec: {} })
  const [addOn] = await isInstalledOn(hub, 'c2')
  assert.equal(addOn?.status, undefined)
})
