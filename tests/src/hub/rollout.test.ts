import { suite, test } from 'node:test'
import type { NewRolloutStrategy } from '@orrery/api'
import { HubServer } from './hubserver.js'
import {
  changeTemplate,
  clustersAt,
  condition,
  configMapWork,
  createSet,
  decide,
  FEATURES,
  type Group,
  isAt,
  reportWork,
  withClusters,
} from './works.js'

const MINUTE = 60_000

/** A hub whose clusters all have version 1 and are about to get version 2. */
async function beforeUpdate(
  t: Parameters<typeof HubServer.start>[0],
  rolloutStrategy: NewRolloutStrategy,
  ...groups: readonly Group[]
): Promise<HubServer> {
  const hub = await HubServer.start(t, { features: FEATURES })
  const clusters = groups.flatMap((group) => ('clusters' in group ? group.clusters : group))
  await withClusters(hub, ...clusters)
  await decide(hub, 'p1', ...groups)
  await createSet(hub, 'web', { rolloutStrategy })
  for (let given: string[] = []; given.length < clusters.length; ) {
    given = await clustersAt(hub, '1')
    await reportWork(hub, 'done', ...given)
    // Whoever was to be well for a while has been.
    hub.clock.advance(10 * MINUTE)
  }
  await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  return hub
}

/** Time goes by, and whatever was waiting for it happens. */
async function after(hub: HubServer, milliseconds: number): Promise<void> {
  hub.clock.advance(milliseconds)
  await hub.settle()
}

suite('All', () => {
  test('goes to every cluster at once, and says who takes too long', async (t) => {
    const strategy: NewRolloutStrategy = { type: 'All', all: { progressDeadline: '5m' } }
    const hub = await beforeUpdate(t, strategy, ['c1', 'c2', 'c3'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c1', 'c2', 'c3')
    await reportWork(hub, 'done', 'c1')
    await reportWork(hub, 'progressing', 'c2')
    await condition(
      hub,
      'web',
      'PlacementRolledOut',
      'Progressing',
      /waiting for c2 \(Progressing is True\), c3 \(its agent/,
    )
    await after(hub, 5 * MINUTE)
    await condition(
      hub,
      'web',
      'PlacementRolledOut',
      'Progressing',
      /took longer than progressDeadline: c2 \(.*\), c3 \(/,
    )
    await reportWork(hub, 'done', 'c2', 'c3')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })
})

suite('Progressive', () => {
  test('has so many under way at a time, in order of their names', async (t) => {
    const strategy: NewRolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: '40%' } }
    const hub = await beforeUpdate(t, strategy, ['c3', 'c1'], ['c2', 'c5', 'c4'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c1', 'c2')
    await condition(
      hub,
      'web',
      'PlacementRolledOut',
      'Progressing',
      /waiting for c1 .*; 3 of 5 clusters have yet to get/,
    )
    await condition(hub, 'web', 'ManifestworkApplied', 'Processing', /^2 of 5 works are up to date/)
    await reportWork(hub, 'done', 'c2')
    await isAt(hub, '2', 'c1', 'c2', 'c3')
    await reportWork(hub, 'done', 'c1', 'c3')
    await isAt(hub, '2', 'c1', 'c2', 'c3', 'c4', 'c5')
    await reportWork(hub, 'done', 'c4', 'c5')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })

  test('waits until a cluster has been well for minSuccessTime', async (t) => {
    const progressive = { maxConcurrency: 1, minSuccessTime: '5m' }
    const hub = await beforeUpdate(t, { type: 'Progressive', progressive }, ['c1', 'c2'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c1')
    await reportWork(hub, 'progressing', 'c1')
    await after(hub, 20 * MINUTE)
    await reportWork(hub, 'done', 'c1')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /waiting until minSuccessTime is over for c1/)
    await after(hub, 4 * MINUTE)
    await isAt(hub, '2', 'c1')
    await after(hub, MINUTE)
    await isAt(hub, '2', 'c1', 'c2')
  })

  test('stops at the first failure, and goes on when that is mended', async (t) => {
    const strategy: NewRolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } }
    const hub = await beforeUpdate(t, strategy, ['c1', 'c2'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c1')
    await reportWork(hub, 'failed', 'c1')
    const stopped = /stopped, since 1 failed and no more than 0 may; failed: c1 \(Degraded is True\); 1 of 2 clusters/
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', stopped)
    await isAt(hub, '2', 'c1')
    await changeTemplate(hub, 'web', configMapWork({ version: '3' }))
    await isAt(hub, '3', 'c1')
    await reportWork(hub, 'done', 'c1')
    await isAt(hub, '3', 'c1', 'c2')
  })

  test('lets so many fail, and clusters that say nothing fail in the end', async (t) => {
    const progressive = { maxConcurrency: 1, maxFailures: 2, progressDeadline: '10m' }
    const hub = await beforeUpdate(t, { type: 'Progressive', progressive }, ['c1', 'c2', 'c3', 'c4', 'c5'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c1')
    await reportWork(hub, 'failed', 'c1')
    await isAt(hub, '2', 'c1', 'c2')
    await after(hub, 10 * MINUTE)
    await isAt(hub, '2', 'c1', 'c2', 'c3')
    await reportWork(hub, 'refused', 'c3')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /waiting for c3 \(Applied is False\)/)
    await after(hub, 10 * MINUTE)
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /stopped, since 3 failed and no more than 2 may/)
    await isAt(hub, '2', 'c1', 'c2', 'c3')
  })

  test('begins with mandatory groups, none of which may fail', async (t) => {
    const progressive = { mandatoryDecisionGroups: [{ groupName: 'canary' }], maxFailures: '100%' }
    const groups = [['c1', 'c2'], { name: 'canary', clusters: ['c8', 'c9'] }]
    const hub = await beforeUpdate(t, { type: 'Progressive', progressive }, ...groups)
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c8', 'c9')
    await reportWork(hub, 'done', 'c8')
    await reportWork(hub, 'failed', 'c9')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /stopped, since 1 failed and no more than 0 may/)
    await isAt(hub, '2', 'c8', 'c9')
    await reportWork(hub, 'done', 'c9')
    await isAt(hub, '2', 'c1', 'c2', 'c8', 'c9')
  })

  test('gives new clusters the latest version, at the same pace', async (t) => {
    const strategy: NewRolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } }
    const hub = await beforeUpdate(t, strategy, ['c1', 'c2', 'c3', 'c4'])
    await decide(hub, 'p1', ['c1', 'c2'])
    await isAt(hub, '1', 'c1', 'c2')
    await decide(hub, 'p1', ['c1', 'c2', 'c3', 'c4'])
    await isAt(hub, '1', 'c1', 'c2', 'c3')
    await reportWork(hub, 'done', 'c3')
    await isAt(hub, '1', 'c1', 'c2', 'c3', 'c4')
  })
})

suite('ProgressivePerGroup', () => {
  test('takes one group after the other', async (t) => {
    const strategy: NewRolloutStrategy = { type: 'ProgressivePerGroup', progressivePerGroup: { maxFailures: '50%' } }
    const hub = await beforeUpdate(t, strategy, ['c1', 'c9'], ['c2', 'c3'], ['c4'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c1', 'c9')
    await reportWork(hub, 'done', 'c1')
    await isAt(hub, '2', 'c1', 'c9')
    await reportWork(hub, 'failed', 'c9')
    await isAt(hub, '2', 'c1', 'c2', 'c3', 'c9')
    await reportWork(hub, 'failed', 'c2', 'c3')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /stopped, since 2 failed and no more than 1 may/)
    await reportWork(hub, 'done', 'c2', 'c3')
    await isAt(hub, '2', 'c1', 'c2', 'c3', 'c4', 'c9')
    await reportWork(hub, 'done', 'c4', 'c9')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })

  test('begins with mandatory groups, and waits for minSuccessTime', async (t) => {
    const progressivePerGroup = { mandatoryDecisionGroups: [{ groupIndex: 1 }], minSuccessTime: '3m' }
    const hub = await beforeUpdate(t, { type: 'ProgressivePerGroup', progressivePerGroup }, ['c1'], ['c2'], ['c3'])
    await changeTemplate(hub, 'web', configMapWork({ version: '2' }))
    await isAt(hub, '2', 'c2')
    await reportWork(hub, 'done', 'c2')
    await isAt(hub, '2', 'c2')
    await after(hub, 3 * MINUTE)
    await isAt(hub, '2', 'c1', 'c2')
  })
})

test('a strategy that cannot be read is said to be the reason', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  await decide(hub, 'p1', ['c1'])
  await createSet(hub, 'web', { rolloutStrategy: { type: 'Progressive', progressive: { minSuccessTime: 'soon' } } })
  const message = /^placement p1: rolloutStrategy: minSuccessTime: time: invalid duration "soon"$/
  await condition(hub, 'web', 'PlacementVerified', 'NotAsExpected', message)
})
