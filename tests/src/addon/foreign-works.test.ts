import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AgentAddon, hostedByAnnotation } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  HOSTING_CLUSTER_ANNOTATION,
  MANIFEST_LOCATION_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
} from '@orrery/api'
import { AddonHub, conditionText, configMap, deployment, hasCondition, reportWork } from './addon-hub.js'
import { hello, namesIn, WORK } from './hello.js'

const VICTIM = { namespace: 'c2', name: 'hello' }
const VICTIM_WORK = { namespace: 'c2', name: WORK.name }

/** A hub with an add-on on two clusters. The agent of the first one attacks the second. */
async function start(t: Parameters<typeof AddonHub.start>[0], addon: AgentAddon): Promise<AddonHub> {
  const hub = await AddonHub.start(t, addon)
  for (const name of ['c1', 'c2']) {
    await hub.cluster(name)
    await hub.addon(name, 'hello')
    await hub.hub.when(ManifestWork, { namespace: name, name: WORK.name })
  }
  await hub.settle()
  return hub
}

/** Labels a work of the first cluster as one of the second cluster's add-on, as the agent of the first cluster can. */
async function claim(hub: AddonHub): Promise<void> {
  await hub.client.patch(ManifestWork, WORK, { metadata: { labels: { [ADDON_NAMESPACE_LABEL]: 'c2' } } })
  await hub.settle()
}

const versionOf = async (hub: AddonHub) => (await hub.client.get(ManifestWork, VICTIM_WORK)).metadata.resourceVersion

suite('works that the agent of another cluster labels', () => {
  test('do not change those of a cluster', async (t) => {
    const hub = await start(
      t,
      hello(() => [configMap('one'), configMap('two'), deployment('agent')]),
    )
    const before = await versionOf(hub)
    await claim(hub)
    const manifests = [configMap('one')] as never
    await hub.client.patch(ManifestWork, WORK, { spec: { workload: { manifests } } })
    await hub.settle()
    hub.manager.trigger('c2', 'hello')
    await hub.settle()
    assert.equal(await versionOf(hub), before)
    // The work still belongs to its own add-on, which restores it.
    await hub.hub.when(ManifestWork, WORK, (work) => namesIn(work).length === 3)
  })

  test('do not report on the add-on of a cluster', async (t) => {
    const hub = await start(
      t,
      hello(() => [configMap('one')], { healthProber: { type: 'Work' } }),
    )
    await reportWork(hub, 'c2', WORK.name)
    await hasCondition(hub, VICTIM, 'Available', 'True WorkApplied: Addon manifestWork is applied')
    await claim(hub)
    await reportWork(hub, 'c1', WORK.name, { conditions: { Applied: 'False', Available: 'False' } })
    hub.manager.trigger('c2', 'hello')
    await hub.settle()
    const victim = await hub.client.get(ManagedClusterAddOn, VICTIM)
    assert.equal(conditionText(victim, 'Available'), 'True WorkApplied: Addon manifestWork is applied')
    assert.match(conditionText(victim, 'ManifestApplied') ?? '', /^True /)
  })

  test('do not report on a hosted agent while its hosting cluster is gone', async (t) => {
    const annotations = { [MANIFEST_LOCATION_ANNOTATION]: 'hosting' }
    const addon = hello(() => [configMap('one', {}, annotations)], {
      hostedMode: hostedByAnnotation,
      healthProber: { type: 'Work' },
    })
    const hub = await AddonHub.start(t, addon)
    for (const name of ['c1', 'c2', 'host']) await hub.cluster(name)
    await hub.addon('c2', 'hello', { annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'host' } })
    const name = 'addon-hello-deploy-hosting-c2-0'
    await hub.hub.when(ManifestWork, { namespace: 'host', name })
    await hub.client.delete(ManagedCluster, { name: 'host' })
    await hasCondition(hub, VICTIM, 'Available', 'Unknown WorkNotFound: Addon manifestWork is not found')
    const labels = { [ADDON_NAME_LABEL]: 'hello', [ADDON_NAMESPACE_LABEL]: 'c2' }
    // The finalizer of the agent keeps the work while the hub deletes it.
    const metadata = { namespace: 'c1', name, labels, finalizers: ['example.com/kept'] }
    await hub.client.create(ManifestWork, { metadata, spec: { workload: { manifests: [configMap('one')] as never } } })
    await reportWork(hub, 'c1', name)
    hub.manager.trigger('c2', 'hello')
    await hub.settle()
    const victim = await hub.client.get(ManagedClusterAddOn, VICTIM)
    assert.equal(conditionText(victim, 'Available'), 'Unknown WorkNotFound: Addon manifestWork is not found')
  })

  test('do not mix the works that a cluster hosts for two others', async (t) => {
    const annotations = { [MANIFEST_LOCATION_ANNOTATION]: 'hosting' }
    const hosted = (cluster: string) => `addon-hello-deploy-hosting-${cluster}-0`
    const addon: AgentAddon = {
      name: 'hello',
      manifests: ({ metadata }) => [configMap('same', { data: { cluster: metadata.name } }, annotations)],
      hostedMode: hostedByAnnotation,
    }
    const hub = await AddonHub.start(t, addon)
    await hub.cluster('host')
    for (const name of ['c1', 'c2']) {
      await hub.cluster(name)
      await hub.addon(name, 'hello', { annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'host' } })
      await hub.hub.when(ManifestWork, { namespace: 'host', name: hosted(name) })
    }
    await hub.settle()
    const ref = { namespace: 'host', name: hosted('c1') }
    await hub.client.patch(ManifestWork, ref, { metadata: { labels: { [ADDON_NAMESPACE_LABEL]: 'c2' } } })
    await hub.settle()
    hub.manager.trigger('c2', 'hello')
    hub.manager.trigger('c1', 'hello')
    await hub.settle()
    for (const cluster of ['c1', 'c2']) {
      const { spec } = await hub.client.get(ManifestWork, { namespace: 'host', name: hosted(cluster) })
      const [manifest] = (spec?.workload?.manifests ?? []) as readonly { readonly data?: unknown }[]
      assert.deepEqual(manifest?.data, { cluster })
    }
  })
})
