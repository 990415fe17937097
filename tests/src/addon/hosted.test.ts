import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AgentAddon, hostedByAnnotation, type Manifest } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  HOSTING_CLUSTER_ANNOTATION,
  HOSTING_MANIFESTS_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  MANIFEST_LOCATION_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import { AddonHub, conditionText, configMap, deployment, hasCondition, reportWork } from './addon-hub.js'
import { namesIn, REF, writesNothing } from './hello.js'

const MANAGED = { namespace: 'c1', name: 'addon-hello-deploy-0' }
const HOSTING = { namespace: 'host', name: 'addon-hello-deploy-hosting-c1-0' }
const HOOK = { namespace: 'c1', name: 'addon-hello-pre-delete' }
const HOSTING_HOOK = { namespace: 'host', name: 'addon-hello-pre-delete-hosting-c1' }

const at = (location: string, manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: {
    ...manifest.metadata,
    annotations: { ...manifest.metadata.annotations, [MANIFEST_LOCATION_ANNOTATION]: location },
  },
})

const job = (name: string): Manifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'default', name, annotations: { 'addon.open-cluster-management.io/addon-pre-delete': '' } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
})

const everywhere = [
  configMap('unset'),
  at('managed', configMap('managed')),
  at('hosting', deployment('agent')),
  at('none', configMap('nowhere')),
]

const hello = (manifests: readonly Manifest[], more: Partial<AgentAddon> = {}): AgentAddon => ({
  name: 'hello',
  manifests: () => manifests,
  hostedMode: hostedByAnnotation,
  ...more,
})

/** A hub with a cluster and a hosting cluster, and an add-on that is hosted there. */
async function start(t: Parameters<typeof AddonHub.start>[0], addon: AgentAddon): Promise<AddonHub> {
  const hub = await AddonHub.start(t, addon)
  await hub.cluster('c1')
  await hub.cluster('host')
  await hub.addon('c1', 'hello', { annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'host' } })
  return hub
}

const finalizersAre = (hub: AddonHub, ...finalizers: string[]) =>
  hub.hub.when(
    ManagedClusterAddOn,
    REF,
    ({ metadata }) => (metadata.finalizers ?? []).toSorted().join() === finalizers.toSorted().join(),
  )

const completed = (name: string) => ({
  objects: [{ group: 'batch', resource: 'jobs', namespace: 'default', name, values: { JobComplete: 'True' } }],
})

suite('hosted mode', () => {
  test('deploys each manifest to its cluster', async (t) => {
    const hub = await start(t, hello(everywhere))
    assert.deepEqual(namesIn(await hub.hub.when(ManifestWork, MANAGED)), ['unset', 'managed'])
    const hosting = await hub.hub.when(ManifestWork, HOSTING)
    assert.deepEqual(namesIn(hosting), ['agent'])
    assert.deepEqual(hosting.metadata.labels, { [ADDON_NAME_LABEL]: 'hello', [ADDON_NAMESPACE_LABEL]: 'c1' })
    assert.equal(hosting.metadata.ownerReferences, undefined)
    await finalizersAre(hub, HOSTING_MANIFESTS_FINALIZER)
    const valid = 'True HostingClusterValid: hosting cluster host is a managed cluster of the hub'
    await hasCondition(hub, REF, 'HostingClusterValidity', valid)
    await reportWork(hub, 'host', HOSTING.name)
    const applied = 'True AddonManifestApplied: manifests of addon are applied successfully'
    await hasCondition(hub, REF, 'HostingManifestApplied', applied)
    await writesNothing(hub)
    await hub.client.delete(ManagedClusterAddOn, REF)
    await hub.hub.whenGone(ManagedClusterAddOn, REF)
    await hub.hub.whenGone(ManifestWork, HOSTING)
  })

  test('deploys everything to the managed cluster without a hosting cluster', async (t) => {
    const hub = await AddonHub.start(t, hello(everywhere))
    await hub.cluster('c1')
    await hub.addon('c1', 'hello')
    assert.deepEqual(namesIn(await hub.hub.when(ManifestWork, MANAGED)), ['unset', 'managed', 'agent', 'nowhere'])
    await hub.settle()
    assert.equal(conditionText(await hub.client.get(ManagedClusterAddOn, REF), 'HostingClusterValidity'), undefined)
  })

  test('ignores locations if the add-on cannot be hosted', async (t) => {
    const { hostedMode: _, ...addon } = hello([at('elsewhere', configMap('one'))])
    const hub = await start(t, addon)
    assert.deepEqual(namesIn(await hub.hub.when(ManifestWork, MANAGED)), ['one'])
  })

  test('reports a location that does not exist', async (t) => {
    const hub = await start(t, hello([at('elsewhere', configMap('one'))]))
    const problem =
      'False ManifestWorkApplyFailed: failed to build manifestwork: not supported manifest location: elsewhere'
    await hasCondition(hub, REF, 'ManifestApplied', problem)
    await hasCondition(hub, REF, 'HostingManifestApplied', problem)
  })

  test('reports that the hosting cluster cannot be determined', async (t) => {
    const hostedMode = () => {
      throw new Error('no inventory')
    }
    const hub = await start(t, hello(everywhere, { hostedMode }))
    const problem = 'failed to get manifest from agent interface: no inventory'
    await hasCondition(hub, REF, 'ManifestApplied', `False ManifestWorkApplyFailed: ${problem}`)
    await hub.settle()
    assert.deepEqual((await hub.client.list(ManifestWork)).items, [])
  })

  test('reports the health of the works for the hosting cluster only', async (t) => {
    const hub = await start(t, hello(everywhere, { healthProber: { type: 'DeploymentAvailability' } }))
    await reportWork(hub, 'c1', MANAGED.name)
    await hasCondition(hub, REF, 'Available', 'Unknown WorkNotApplied: Addon manifestWork is not applied yet')
    const values = { ReadyReplicas: 1, Replicas: 1 }
    const agent = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'agent', values }
    await reportWork(hub, 'host', HOSTING.name, { objects: [agent] })
    await hasCondition(hub, REF, 'Available', 'True ProbeAvailable: hello add-on is available.')
  })

  test('waits for a hosting cluster that does not exist, and cleans up when it leaves', async (t) => {
    const hub = await AddonHub.start(t, hello(everywhere))
    await hub.cluster('c1')
    await hub.addon('c1', 'hello', { annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'host' } })
    const invalid = 'False HostingClusterInvalid: hosting cluster host is not a managed cluster of the hub'
    await hasCondition(hub, REF, 'HostingClusterValidity', invalid)
    await finalizersAre(hub)
    await hub.cluster('host')
    await hub.hub.when(ManifestWork, HOSTING)
    await finalizersAre(hub, HOSTING_MANIFESTS_FINALIZER)
    await hub.client.delete(ManagedCluster, { name: 'host' })
    await hub.hub.whenGone(ManifestWork, HOSTING)
    await hasCondition(hub, REF, 'HostingClusterValidity', invalid)
    await finalizersAre(hub)
  })

  test('moves to another hosting cluster, and back to the managed one', async (t) => {
    const hub = await start(t, hello(everywhere))
    await hub.hub.when(ManifestWork, HOSTING)
    await hub.cluster('other')
    const annotations = { [HOSTING_CLUSTER_ANNOTATION]: 'other' }
    await hub.client.patch(ManagedClusterAddOn, REF, { metadata: { annotations } })
    await hub.hub.when(ManifestWork, { namespace: 'other', name: HOSTING.name })
    await hub.hub.whenGone(ManifestWork, HOSTING)
    const none = { [HOSTING_CLUSTER_ANNOTATION]: null }
    await hub.client.patch(ManagedClusterAddOn, REF, { metadata: { annotations: none } } as never)
    await hub.hub.whenGone(ManifestWork, { namespace: 'other', name: HOSTING.name })
    await finalizersAre(hub)
    const addon = await hub.hub.when(
      ManagedClusterAddOn,
      REF,
      (mca) => conditionText(mca, 'HostingClusterValidity') === undefined,
    )
    assert.equal(conditionText(addon, 'HostingManifestApplied'), undefined)
  })

  test('runs the hooks of both clusters before the add-on is deleted', async (t) => {
    const hub = await start(t, hello([...everywhere, job('here'), at('hosting', job('there'))]))
    await finalizersAre(hub, PRE_DELETE_FINALIZER, HOSTING_PRE_DELETE_FINALIZER, HOSTING_MANIFESTS_FINALIZER)
    await hub.client.delete(ManagedClusterAddOn, REF)
    await reportWork(hub, 'c1', HOOK.name, completed('here'))
    // The hooks of one cluster do not complete those of the other.
    await finalizersAre(hub, HOSTING_PRE_DELETE_FINALIZER, HOSTING_MANIFESTS_FINALIZER)
    await hub.settle()
    const pending = `False HookManifestIsNotCompleted: hook manifestWork ${HOSTING_HOOK.name} is not completed.`
    await hasCondition(hub, REF, 'HookManifestCompleted', pending)
    await hub.hub.when(ManifestWork, HOSTING)
    await reportWork(hub, 'host', HOSTING_HOOK.name, completed('there'))
    await hub.hub.whenGone(ManagedClusterAddOn, REF)
    await hub.hub.whenGone(ManifestWork, HOSTING_HOOK)
    await hub.hub.whenGone(ManifestWork, HOSTING)
  })

  test('can host an agent on its own managed cluster', async (t) => {
    const hub = await AddonHub.start(t, hello(everywhere))
    await hub.cluster('c1')
    await hub.addon('c1', 'hello', { annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'c1' } })
    const hosting = await hub.hub.when(ManifestWork, { namespace: 'c1', name: HOSTING.name })
    assert.deepEqual(namesIn(hosting), ['agent'])
    await hub.settle()
    assert.deepEqual(namesIn(await hub.client.get(ManifestWork, MANAGED)), ['unset', 'managed'])
    assert.notEqual(await hub.client.find(ManifestWork, { namespace: 'c1', name: HOSTING.name }), undefined)
  })
})
