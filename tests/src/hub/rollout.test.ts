import { test } from 'node:test'
import { HubServer } from './hub-server.js'
import { condition, createSet, decide, FEATURES, isAt, reportWork, withClusters } from './works.js'

const MINUTE = 60_000

/** Time goes by, and whatever was waiting for it happens. */
async function after(hub: HubServer, milliseconds: number): Promise<void> {
  hub.clock.advance(milliseconds)
  await hub.settle()
}

// What real agents say and do is tested with them, in ../fleet/rollout.test.ts.
test('clusters whose agents say nothing, or only that they cannot apply it, fail in the end', async (t) => {
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
  await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /stopped, since 2 failed and no more than 1 may/)
  await isAt(hub, '1', 'c1', 'c2')
})

test('a strategy that cannot be read is said to be the reason', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await decide(hub, 'p1', ['c1'])
  await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { minSuccessTime: 'soon' } } })
  const message = /^placement p1: rolloutStrategy: minSuccessTime: time: invalid duration "soon"$/
  await condition(hub, 'web', 'PlacementVerified', 'NotAsExpected', message)
})
