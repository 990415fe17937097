import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DEPLOYMENT_CONFIG, installNamespaceFromConfig, type Manifest, withDeploymentConfig } from '@orrery/addon'
import {
  AddOnDeploymentConfig,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
  ManifestWork,
} from '@orrery/api'
import { ConfigMap, Deployment, Event, Job, Node, Pod } from '@orrery/kinds'
import { advance, isAvailable } from '../agent/joining.js'
import { HUB_SERVER } from '../agent/spoke.js'
import { says } from '../hub/clusters.js'
import { conditionText, configMap, deployment } from './addon-hub.js'
import { startFaultWorld } from './fault-world.js'
import { hello, REF } from './hello.js'

const MINUTE = 60_000
const inDefault = (name: string) => ({ namespace: 'default', name })
const LEASED = 'True ManagedClusterAddOnLeaseUpdated'

suite('faults of an add-on', () => {
  test('an agent that is killed is unavailable when its Lease expires, and available when it runs again', async (t) => {
    const world = await startFaultWorld(
      t,
      hello(() => [configMap('one')]),
    )
    const kill = world.renewLease()
    await world.reports('Available', LEASED)
    await kill()
    await advance(world.hub, 4 * MINUTE)
    await world.reports('Available', LEASED)
    await advance(world.hub, 2 * MINUTE)
    await world.reports('Available', 'False ManagedClusterAddOnLeaseUpdateStopped')
    world.renewLease()
    await world.reports('Available', LEASED)
  })

  test('a Deployment whose pods do not become ready is unavailable until they do', async (t) => {
    const world = await startFaultWorld(
      t,
      hello(() => [deployment('agent')], { healthProber: { type: 'DeploymentAvailability' } }),
    )
    const { hub, spoke } = world
    await world.reports('Available', 'True ProbeAvailable')
    const cordon = (unschedulable: boolean) => spoke.client.patch(Node, { name: 'node-1' }, { spec: { unschedulable } })
    await cordon(true)
    await spoke.client.deleteCollection(Pod, { namespace: 'default' })
    await world.reports('Available', 'False ProbeUnavailable')
    assert.notEqual(await hub.client.find(ManagedClusterAddOn, REF), undefined)
    await cordon(false)
    await world.reports('Available', 'True ProbeAvailable')
  })

  test('a hook that never ends is reported with its time limit, and then deleted with the add-on', async (t) => {
    const hook: Manifest = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...inDefault('clean'), annotations: { 'addon.open-cluster-management.io/addon-pre-delete': '' } },
      spec: {
        template: {
          metadata: { annotations: { 'orrery.dev/play-duration': '1000h' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'clean', image: 'clean' }] },
        },
      },
    }
    const world = await startFaultWorld(
      t,
      hello(() => [configMap('one'), hook], { hookTimeoutSeconds: 300 }),
    )
    const { hub, spoke } = world
    await world.reports('ManifestApplied', 'True')
    await hub.client.delete(ManagedClusterAddOn, REF)
    const addon = await world.reports('HookManifestCompleted', 'False HookManifestIsNotCompleted')
    const limit = Date.parse(addon.metadata.deletionTimestamp ?? '') + 300_000
    const until = `The add-on is deleted without it at ${new Date(limit).toISOString().replace('.000Z', 'Z')}.`
    assert.ok(conditionText(addon, 'HookManifestCompleted')?.endsWith(until))
    await hub.eventually('the hook runs', async () => {
      const { items } = await spoke.client.list(Pod, { namespace: 'default', labelSelector: 'job-name=clean' })
      return items[0]?.status?.phase === 'Running'
    })
    await advance(hub, 4 * MINUTE)
    assert.notEqual(await hub.client.find(ManagedClusterAddOn, REF), undefined)
    await world.timeUntil('the add-on is gone', async () => !(await hub.client.find(ManagedClusterAddOn, REF)))
    const late = hub.clock.now().getTime() - limit
    assert.ok(late >= 0 && late < MINUTE, `${late} ms after the limit`)
    await world.timeUntil('the Job is gone', async () => !(await spoke.client.find(Job, inDefault('clean'))))
    await world.timeUntil('all works are gone', async () => (await hub.client.list(ManifestWork)).items.length === 0)
    const { items: events } = await hub.client.list(Event, { namespace: 'c1' })
    assert.ok(events.some(({ reason }) => reason === 'HookManifestTimedOut'))
  })

  test('with a hub that is unreachable for longer than the lease, add-ons are Unknown until it is reachable', async (t) => {
    const world = await startFaultWorld(
      t,
      hello(() => [configMap('one')]),
    )
    const { hub, link, spoke } = world
    world.renewLease()
    await world.reports('ManifestApplied', 'True')
    await world.reports('Available', LEASED)
    await hub.when(ManagedCluster, { name: 'c1' }, isAvailable)
    link.cut(HUB_SERVER)
    await advance(hub, 4 * MINUTE)
    await world.reports('Available', LEASED)
    await advance(hub, 3 * MINUTE)
    await world.reports('Available', 'Unknown ManagedClusterLeaseUpdateStopped')
    await hub.when(ManagedCluster, { name: 'c1' }, says(ManagedClusterCondition.Available, 'Unknown'))
    assert.notEqual(await spoke.client.find(ConfigMap, inDefault('one')), undefined, 'the add-on stays')
    link.mend(HUB_SERVER)
    const milliseconds = await world.timeUntil('cluster and add-on are available', async () => {
      const available = conditionText(await hub.client.get(ManagedClusterAddOn, REF), 'Available')
      return available?.startsWith(LEASED) && isAvailable(await hub.client.get(ManagedCluster, { name: 'c1' }))
    })
    assert.ok(milliseconds < 2 * MINUTE, `${milliseconds} ms after the hub was reachable`)
  })
})

const CONFIG = { namespace: 'default', name: 'settings' }
const { version: _, ...CONFIG_TYPE } = DEPLOYMENT_CONFIG
const settings = { metadata: CONFIG, spec: { agentInstallNamespace: 'default' } }

/** An add-on whose manifests depend on a configuration. */
const configured = hello(
  withDeploymentConfig('hello', () => [deployment('agent')]),
  {
    registration: { configurations: () => [{ type: 'kubeClient' }] },
    supportedConfigs: [DEPLOYMENT_CONFIG],
    agentInstallNamespace: installNamespaceFromConfig,
    healthProber: { type: 'DeploymentAvailability' },
  },
)

suite('faults of the configuration of an add-on', () => {
  const NOT_READY =
    'False ManifestWorkApplyFailed: failed to get manifest from agent interface: addon hello deployment config desired spec hash is empty'

  for (const where of ['definition', 'cluster'] as const) {
    test(`a configuration of the ${where} that is deleted is reported, and the agent stays until it is back`, async (t) => {
      const configs = [{ ...CONFIG_TYPE, ...CONFIG }]
      const world = await startFaultWorld(t, configured, {
        definition: where === 'definition' ? { defaultConfigs: configs } : {},
        prepare: ({ hub }) => hub.client.create(AddOnDeploymentConfig, settings),
      })
      const { hub, spoke, log } = world
      if (where === 'cluster') await hub.client.patch(ManagedClusterAddOn, REF, { spec: { configs } })
      await world.reports('Available', 'True ProbeAvailable')
      const warnings = log.filter((line) => /warn/i.test(line) && line.includes('hash'))
      assert.deepEqual(warnings, [], 'a configuration without a hash is normal while an add-on is installed')
      const before = await spoke.client.get(Deployment, inDefault('agent'))

      await hub.client.delete(AddOnDeploymentConfig, CONFIG)
      assert.ok((await world.timeUntil('it is reported', () => isReported())) < MINUTE)
      await hub.settle()
      const { resourceVersion } = (await hub.client.get(ManagedClusterAddOn, REF)).metadata
      await hub.settle()
      assert.equal((await hub.client.get(ManagedClusterAddOn, REF)).metadata.resourceVersion, resourceVersion)
      const kept = await spoke.client.get(Deployment, inDefault('agent'))
      assert.equal(kept.metadata.uid, before.metadata.uid)

      await hub.client.create(AddOnDeploymentConfig, settings)
      await world.reports('ManifestApplied', 'True')
      await world.reports('Available', 'True ProbeAvailable')

      async function isReported() {
        const addon = await hub.client.get(ManagedClusterAddOn, REF)
        return conditionText(addon, 'ManifestApplied') === NOT_READY
      }
    })
  }
})
