import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestWorkReplicaSet } from '@orrery/api'
import { CustomResourceDefinition } from '@orrery/kinds'
import { isInvalid, resourceName } from '@orrery/kinds/values'
import { HubServer } from './hub-server.js'
import { condition, createSet, decide, FEATURES, isAt, reportWork, withClusters } from './works.js'

const MINUTE = 60_000

/** Advances the clock, and waits until the controllers have nothing to do. */
async function after(hub: HubServer, milliseconds: number): Promise<void> {
  hub.clock.advance(milliseconds)
  await hub.settle()
}

// ../fleet/rollout.test.ts tests rollouts with real agents.
test('work-replica-sets: counts clusters whose agents do not report success within progressDeadline as failed', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2', 'c3', 'c4')
  await decide(hub, 'p1', ['c1', 'c2', 'c3', 'c4'])
  const progressive = { maxConcurrency: 1, maxFailures: 1, progressDeadline: '10m' }
  await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive } })
  await isAt(hub, '1', 'c1')
  await after(hub, 10 * MINUTE)
  await isAt(hub, '1', 'c1', 'c2')
  await reportWork(hub, 'refused', 'c2')
  await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /waiting for c2 \(Applied is False\)/)
  await after(hub, 10 * MINUTE)
  await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /stopped: 2 failed, maxFailures is 1/)
  await isAt(hub, '1', 'c1', 'c2')
})

test('work-replica-sets: reports a rollout strategy that is not valid in PlacementVerified', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await decide(hub, 'p1', ['c1'])
  await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { minSuccessTime: 'soon' } } })
  const message = /^placement p1: rolloutStrategy: minSuccessTime: time: invalid duration "soon"$/
  await condition(hub, 'web', 'PlacementVerified', 'NotAsExpected', message)
})

test('rolloutStrategy: the API rejects an unknown type', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  const created = createSet(hub, 'web', { rolloutStrategy: { type: 'Canary' as never } })
  await assert.rejects(created, (error) => isInvalid(error) && /type: Unsupported value: "Canary"/.test(String(error)))
})

test('work-replica-sets: writes no works for a rollout strategy of an unknown type, and reports it', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await decide(hub, 'p1', ['c1'])
  await allowAnyStrategy(hub)
  await createSet(hub, 'web', { rolloutStrategy: { type: 'Canary' as never } })
  const message = /^placement p1: rolloutStrategy: type: unknown rollout strategy "Canary"$/
  await condition(hub, 'web', 'PlacementVerified', 'NotAsExpected', message)
  await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', message)
  await hub.settle()
  await isAt(hub, '1')
})

/** Removes the enum of strategies, as a later version of the API could add one that this hub does not know. */
async function allowAnyStrategy(hub: HubServer): Promise<void> {
  const name = resourceName(ManifestWorkReplicaSet)
  const definition = await hub.client.get(CustomResourceDefinition, { name })
  const text = JSON.stringify(definition).replace('"enum":["All","Progressive","ProgressivePerGroup"],', '')
  await hub.client.update(CustomResourceDefinition, JSON.parse(text) as CustomResourceDefinition)
  await hub.eventually('the API accepts any strategy', async () => {
    const strategy = { rolloutStrategy: { type: 'Canary' } }
    const spec = { placementRefs: [{ name: 'p1', ...strategy }], manifestWorkTemplate: {} }
    const draft = { metadata: { namespace: 'apps', name: 'probe' }, spec } as never
    return hub.client.create(ManifestWorkReplicaSet, draft, { dryRun: true }).then(
      () => true,
      () => false,
    )
  })
}
