import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterManagementAddOn, ManagedClusterAddOn, Placement } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { HubServer } from '../hub/hub-server.js'
import { decide, NAMESPACE } from '../hub/works.js'
import {
  ADDON,
  applyOn,
  conditionOf,
  configsOf,
  define,
  deploymentConfig,
  FEATURES,
  hashDefinition,
  isInstalledOn,
  onCluster,
  placedBy,
  reports,
  withClusters,
} from './addons.js'

/** Waits until the add-on has these configurations on clusters, and checks that it stays so. */
async function hasConfigs(hub: HubServer, wanted: Readonly<Record<string, string>>): Promise<void> {
  const current = async () => {
    const { items } = await hub.client.list(ManagedClusterAddOn)
    return Object.fromEntries(items.map((addOn) => [addOn.metadata.namespace, configsOf(addOn)]))
  }
  const isSo = async () => {
    const found = await current()
    return Object.entries(wanted).every(([cluster, configs]) => found[cluster] === configs)
  }
  try {
    await hub.eventually('configurations', isSo)
    await hub.settle()
    assert.ok(await isSo())
  } catch {
    assert.deepEqual(await current(), wanted)
  }
}

/** The condition Progressing of a placement in the status of the definition, when its message is this one. */
async function progression(hub: HubServer, placement: string, message: string) {
  const found = await hub.when(ClusterManagementAddOn, { name: ADDON }, ({ status }) => {
    const one = status?.installProgressions?.find(({ name }) => name === placement)
    return findCondition(one?.conditions, 'Progressing')?.message === message
  })
  return found.status?.installProgressions?.find(({ name }) => name === placement)
}

test('addOnConfiguration: the add-on, its placement and its defaults, in this order', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2', 'c3')
  await decide(hub, 'p1', ['c1', 'c2'])
  await decide(hub, 'p2', ['c2', 'c3'])
  await define(hub, {
    defaultConfigs: [deploymentConfig('default')],
    installStrategy: placedBy('p1', { name: 'p2', configs: [deploymentConfig('second')] }),
  })
  await isInstalledOn(hub, 'c1', 'c2', 'c3')
  await hashDefinition(hub, { default: 'd1', second: 's1' })
  // The later placement applies where both select a cluster.
  await hasConfigs(hub, { c1: 'default@d1', c2: 'second@s1', c3: 'second@s1' })
  await progression(hub, 'p1', 'selected clusters 2. configured addons 1/1 progressing..., 0 failed 0 timeout.')
  await progression(hub, 'p2', 'selected clusters 2. configured addons 2/2 progressing..., 0 failed 0 timeout.')
  await hub.client.patch(ManagedClusterAddOn, onCluster('c3'), { spec: { configs: [deploymentConfig('own')] } })
  await hasConfigs(hub, { c1: 'default@d1', c2: 'second@s1', c3: 'own@' })
  const addOn = await hub.client.get(ManagedClusterAddOn, onCluster('c2'))
  const { status, reason, message } = conditionOf(addOn, 'Configured') ?? {}
  assert.deepEqual(
    { status, reason, message },
    {
      status: 'True',
      reason: 'ConfigurationsConfigured',
      message: 'Configurations configured',
    },
  )
})

test('addOnConfiguration: an add-on without configurations is configured', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await define(hub)
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c1'), spec: {} })
  await hub.when(ManagedClusterAddOn, onCluster('c1'), reports('Configured', 'True', 'ConfigurationsConfigured'))
})

test('addOnConfiguration: rolls a change out in batches, and completes', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2', 'c3')
  await decide(hub, 'p1', ['c1', 'c2', 'c3'])
  await define(hub, {
    defaultConfigs: [deploymentConfig('default')],
    installStrategy: placedBy({
      name: 'p1',
      rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
    }),
  })
  await isInstalledOn(hub, 'c1', 'c2', 'c3')
  await hashDefinition(hub, { default: 'v1' })
  await hasConfigs(hub, { c1: 'default@v1', c2: '', c3: '' })
  const waiting = await hub.client.get(ManagedClusterAddOn, onCluster('c2'))
  assert.ok(reports('Configured', 'False', 'ConfigurationsNotConfigured')(waiting))
  assert.equal(conditionOf(waiting, 'Configured')?.message, 'Configurations updated and not configured yet')
  await progression(hub, 'p1', 'selected clusters 3. configured addons 1/3 progressing..., 0 failed 0 timeout.')
  await applyOn(hub, 'c1')
  await hub.when(ManagedClusterAddOn, onCluster('c1'), reports('Progressing', 'False', 'Completed'))
  await hasConfigs(hub, { c1: 'default@v1', c2: 'default@v1', c3: '' })
  await applyOn(hub, 'c2')
  await hasConfigs(hub, { c1: 'default@v1', c2: 'default@v1', c3: 'default@v1' })
  await applyOn(hub, 'c3')
  const done = await progression(
    hub,
    'p1',
    'selected clusters 3. configured addons 3/3 completed with no errors, 0 failed 0 timeout.',
  )
  const config = { namespace: NAMESPACE, name: 'default', specHash: 'v1' }
  const [reference] = done?.configReferences ?? []
  assert.deepEqual(reference?.lastAppliedConfig, config)
  assert.deepEqual(reference?.lastKnownGoodConfig, config)
  // A change of the configuration starts with the first cluster again.
  await hashDefinition(hub, { default: 'v2' })
  await hasConfigs(hub, { c1: 'default@v2', c2: 'default@v1', c3: 'default@v1' })
  const first = await hub.when(ManagedClusterAddOn, onCluster('c1'), reports('Progressing', 'True', 'Progressing'))
  assert.equal(first.status?.configReferences?.[0]?.lastAppliedConfig?.specHash, 'v1')
})

test('addOnConfiguration: rolls out group by group, with mandatory groups first', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2', 'c3')
  await decide(hub, 'p1', { name: 'prod', clusters: ['c1', 'c2'] }, { name: 'canary', clusters: ['c3'] })
  const mandatoryDecisionGroups = [{ groupName: 'canary' }]
  await define(hub, {
    defaultConfigs: [deploymentConfig('default')],
    installStrategy: placedBy({
      name: 'p1',
      rolloutStrategy: { type: 'ProgressivePerGroup', progressivePerGroup: { mandatoryDecisionGroups } },
    }),
  })
  await isInstalledOn(hub, 'c1', 'c2', 'c3')
  await hashDefinition(hub, { default: 'v1' })
  await hasConfigs(hub, { c1: '', c2: '', c3: 'default@v1' })
  await applyOn(hub, 'c3')
  await hasConfigs(hub, { c1: 'default@v1', c2: 'default@v1', c3: 'default@v1' })
})

test('addOnConfiguration: keeps configurations while a placement does not exist', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await decide(hub, 'p1', ['c1'])
  await define(hub, {
    defaultConfigs: [deploymentConfig('default')],
    installStrategy: placedBy({ name: 'p1', configs: [deploymentConfig('placed')] }),
  })
  await isInstalledOn(hub, 'c1')
  await hashDefinition(hub, { default: 'd1', placed: 'p1' })
  await hasConfigs(hub, { c1: 'placed@p1' })
  await hub.client.delete(Placement, { namespace: NAMESPACE, name: 'p1' })
  await hub.whenGone(Placement, { namespace: NAMESPACE, name: 'p1' })
  await hasConfigs(hub, { c1: 'placed@p1' })
})
