import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { eventually } from '@orrery/kube/testing'
import { Random } from '../fuzz/random.js'
import { generateChanges } from './placement/changes.js'
import { differences } from './placement/difference.js'
import { eventsOf } from './placement/events.js'
import { generateFleet } from './placement/fleet.js'
import { PlacementHub } from './placement/hub.js'
import { type Outcome, outcomesOf } from './placement/outcome.js'
import { type Generated, generatePlacements } from './placement/placements.js'
import { startOcm, startOrrery } from './placement/schedulers.js'

/** The same seed gives the same fleet and placements. */
const SEED = Number(process.env.ORRERY_TEST_SEED ?? 10)

/** Creates placements and waits until both have decided them. */
async function decide(hubs: readonly PlacementHub[], placements: readonly Generated[]): Promise<void> {
  await Promise.all(
    hubs.map(async (hub) => {
      await hub.create(placements)
      for (const placement of placements) if (!placement.isDisabled) await hub.decided(placement)
      await hub.settled()
    }),
  )
}

test("interop: Orrery and Open Cluster Management's placement controller decide a thousand placements alike", async (t) => {
  const random = new Random(SEED)
  const fleet = generateFleet(random, 150, new Date())
  const placements = generatePlacements(random, fleet, 1_000)
  const ocm = await PlacementHub.start(t, 'OCM', fleet, startOcm)
  const orrery = await PlacementHub.start(t, 'Orrery', fleet, startOrrery)

  const hubs = [ocm, orrery]
  // Those with Balance come first: OCM's queue delays retries if many placements fail, and each retry counts decisions again.
  for (const placement of placements.filter(({ isBalanced }) => isBalanced)) await decide(hubs, [placement])
  await decide(
    hubs,
    placements.filter(({ isBalanced }) => !isBalanced),
  )

  const expected = await outcomesOf(ocm.client)
  assert.ok(expected.size > 1_000)
  assertVaried([...expected.values()])
  const found = differences(expected, await outcomesOf(orrery.client)).map((difference) => ({
    ...difference,
    spec: placements.find(({ namespace, name }) => `${namespace}/${name}` === difference.placement)?.draft.spec,
  }))
  assert.deepEqual(found.slice(0, 5), [], `${found.length} of ${expected.size} placements differ (seed ${SEED})`)
})

test("interop: Orrery and Open Cluster Management's placement controller follow changes of clusters alike", async (t) => {
  const random = new Random(SEED)
  const now = new Date()
  const fleet = generateFleet(random, 60, now)
  // With Balance, the result of a change depends on the order in which placements react to it.
  const placements = generatePlacements(random, fleet, 150).filter(({ isBalanced }) => !isBalanced)
  const ocm = await PlacementHub.start(t, 'OCM', fleet, startOcm)
  const orrery = await PlacementHub.start(t, 'Orrery', fleet, startOrrery)
  const hubs = [ocm, orrery]
  await decide(hubs, placements)

  const selecting = [...(await outcomesOf(ocm.client))].filter(([, { numberOfSelectedClusters: n }]) => n > 0)
  const events = async (hub: PlacementHub) => {
    const all = await eventsOf(hub.client)
    return selecting.map(([placement]) => [placement, all.get(placement)])
  }
  await equal(
    'events',
    () => events(ocm),
    () => events(orrery),
  )

  let last = ''
  let effects = 0
  for (const change of generateChanges(random, fleet, 16, now)) {
    await Promise.all(
      hubs.map(async (hub) => {
        await change.apply(hub.client)
        await hub.settledAfterClusterChange()
      }),
    )
    const found = async () => differences(await outcomesOf(ocm.client), await outcomesOf(orrery.client))
    await equal(change.what, found, async () => [])
    const decisions = JSON.stringify([...(await outcomesOf(ocm.client))].filter(([key]) => !key.startsWith('barrier/')))
    if (decisions !== last) effects++
    last = decisions
  }
  assert.ok(effects >= 5, `only ${effects} changes had an effect`)
})

/** Waits until both results are the same: one of the schedulers may still be writing. */
async function equal(what: string, one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  let pair: [unknown, unknown] = [undefined, undefined]
  const isEqual = async () => {
    pair = [await one(), await other()]
    return isDeepStrictEqual(...pair)
  }
  await eventually(what, isEqual, { intervalMilliseconds: 50 }).catch(() => assert.deepEqual(...pair, what))
}

/** A comparison of placements that all fail, or all select the same clusters, would prove little. */
function assertVaried(outcomes: readonly Outcome[]): void {
  const count = (matches: (outcome: Outcome) => boolean) => outcomes.filter(matches).length
  const reasons = [
    'AllDecisionsScheduled',
    'NotAllDecisionsScheduled',
    'NoManagedClusterMatched',
    'AllManagedClusterSetsEmpty',
    'NoIntersection',
    'NoManagedClusterSetBindings',
    'Misconfigured',
  ]
  for (const reason of reasons) {
    assert.ok(count(({ conditions }) => conditions.some((one) => one.reason === reason)) >= 10, reason)
  }
  assert.ok(count(({ decisions }) => decisions.length > 1) >= 100, 'several decisions')
  const selections = new Set(outcomes.map(({ decisions }) => decisions.flatMap(({ clusters }) => clusters).join()))
  assert.ok(selections.size >= 300, 'different selections')
}
