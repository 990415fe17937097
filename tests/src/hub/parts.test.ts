import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '@orrery/api'
import { clusterSetControllers, type HubContext, hubControllers } from '@orrery/hub'
import { ConfigMap, Event } from '@orrery/kinds'
import { type ControllerSpec, each, ensure } from '@orrery/kube'
import { HubServer } from './hub-server.js'

const SETTINGS_LABEL = 'example.com/settings'

/** Keeps a ConfigMap in the namespace of every accepted cluster, records it as an event, and counts. */
function clusterSettings({ client, informers, events, metrics }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const settings = informers.of(ConfigMap, { labelSelector: SETTINGS_LABEL })
  const written = metrics.counter({ name: 'example_settings_total', help: 'ConfigMaps written.' })
  return {
    name: 'cluster-settings',
    wakes: [each(clusters), each(settings, ({ metadata }) => ({ name: metadata.namespace }))],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      if (cluster?.spec?.hubAcceptsClient !== true) return
      const metadata = { namespace: name, name: 'settings', labels: { [SETTINGS_LABEL]: 'true' } }
      const wanted = { metadata, data: { tier: 'standard' } }
      const known = settings.get(metadata)
      const after = await ensure(client, ConfigMap, wanted, known, { fieldManager: 'cluster-settings', signal })
      if (after.metadata.resourceVersion === known?.metadata.resourceVersion) return
      written.with({}).add()
      events.record({ regarding: after, reason: 'SettingsWritten', note: `wrote the settings of cluster ${name}` })
    },
  }
}

test("startHub: a controller of the embedder shares the hub's informers, events and metrics", async (t) => {
  const hub = await HubServer.start(t, {
    controllers: (context) => [...hubControllers(context), clusterSettings(context)],
  })
  await hub.client.create(ManagedCluster, { metadata: { name: 'edge' }, spec: { hubAcceptsClient: true } })
  const ref = { namespace: 'edge', name: 'settings' }
  await hub.when(ConfigMap, ref, ({ data }) => data?.tier === 'standard')
  await hub.client.patch(ConfigMap, ref, { data: { tier: 'other' } })
  await hub.when(ConfigMap, ref, ({ data }) => data?.tier === 'standard')
  await hub.settle()
  const { health, metrics } = hub.controllers
  assert.ok(health.controllers.some(({ name }) => name === 'cluster-settings'))
  assert.equal(health.informers.filter(({ resource }) => resource.startsWith('managedclusters.')).length, 1)
  assert.match(metrics.render(), /^example_settings_total 2$/m)
  assert.match(metrics.render(), /^orrery_hub_managed_clusters\{.*accepted="true".*\} 1$/m)
  await hub.stopControllers()
  const { items } = await hub.client.list(Event, { namespace: 'edge' })
  assert.ok(items.some(({ reason }) => reason === 'SettingsWritten'))
})

test('startHub: runs the parts that it is given, and no others', async (t) => {
  const hub = await HubServer.start(t, { controllers: clusterSetControllers })
  const names = hub.controllers.health.controllers.map(({ name }) => name)
  assert.ok(names.includes('cluster-set-status'))
  assert.ok(!names.includes('cluster-lease'))
})

test('startHub: rejects, and leaves nothing open, when a part throws', async (t) => {
  let context: HubContext | undefined
  const failing = HubServer.start(t, {
    controllers(given) {
      context = given
      given.informers.of(ManagedCluster)
      throw new RangeError('no such setting')
    },
  })
  await assert.rejects(failing, /no such setting/)
  assert.equal(context?.signal.aborted, true)
  assert.throws(() => context?.informers.of(ConfigMap), /closed/)
})
