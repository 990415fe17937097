import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  AddOnPlacementScore,
  ManagedCluster,
  type NewPlacement,
  Placement,
  PlacementDecision,
  UNREACHABLE_TAINT,
} from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { HubServer } from './hub-server.js'
import {
  APPS,
  label,
  makeAvailable,
  place,
  prodCluster,
  reasonFor,
  taint,
  whenDecided,
  withProdSet,
} from './placements.js'

const MINUTE = 60_000

async function startWith(t: TestContext, spec: NewPlacement['spec'], ...clusters: string[]): Promise<HubServer> {
  const hub = await HubServer.start(t)
  await withProdSet(hub, ...clusters)
  await place(hub, 'web', spec)
  return hub
}

test('placement: replaces a cluster that becomes unreachable, and names the taint', async (t) => {
  const hub = await startWith(t, { numberOfClusters: 1 }, 'c1', 'c2')
  await whenDecided(hub, 'web', 'c1')
  await makeAvailable(hub, await hub.client.get(ManagedCluster, { name: 'c1' }), 'Unknown')
  const decisions = await whenDecided(hub, 'web', 'c2')
  assert.equal(reasonFor('c2', decisions), `replaces c1: taint ${UNREACHABLE_TAINT} (NoSelect) is not tolerated`)
})

test('placement: replaces a cluster that is tainted, and not one that tolerates the taint for a while', async (t) => {
  // Without Balance: either placement would move off the other.
  const prioritizerPolicy = { mode: 'Exact' }
  const hub = await startWith(t, { numberOfClusters: 1, prioritizerPolicy }, 'c1', 'c2')
  const tolerations = [{ key: 'upgrade', operator: 'Exists', tolerationSeconds: 300 }]
  await place(hub, 'patient', { numberOfClusters: 1, tolerations, prioritizerPolicy })
  await whenDecided(hub, 'web', 'c1')
  await whenDecided(hub, 'patient', 'c1')
  await taint(hub, 'c1', { key: 'upgrade', effect: 'NoSelect', timeAdded: formatTime(hub.clock.now()) })
  const decisions = await whenDecided(hub, 'web', 'c2')
  assert.equal(reasonFor('c2', decisions), 'replaces c1: taint upgrade (NoSelect) is not tolerated')
  hub.clock.advance(4 * MINUTE)
  await hub.settle()
  await whenDecided(hub, 'patient', 'c1')
  hub.clock.advance(2 * MINUTE)
  const later = await whenDecided(hub, 'patient', 'c2')
  assert.equal(reasonFor('c2', later), 'replaces c1: taint upgrade (NoSelect) is no longer tolerated')
})

test('placement: replaces a cluster whose labels do not match any more', async (t) => {
  const requiredClusterSelector = { labelSelector: { matchLabels: { zone: 'a' } } }
  const hub = await startWith(t, { numberOfClusters: 1, predicates: [{ requiredClusterSelector }] })
  for (const name of ['c1', 'c2']) await prodCluster(hub, name, { zone: 'a' })
  await whenDecided(hub, 'web', 'c1')
  await label(hub, 'c1', { zone: 'b' })
  const decisions = await whenDecided(hub, 'web', 'c2')
  assert.equal(reasonFor('c2', decisions), 'replaces c1: label zone is "b", and "zone=a" is required')
})

test('placement: replaces a cluster that loses its score, or whose score expires', async (t) => {
  const addOn = { resourceName: 'load', scoreName: 'free' }
  const prioritizerPolicy = {
    mode: 'Exact',
    configurations: [{ scoreCoordinate: { type: 'AddOn' as const, addOn }, weight: 1 }],
  }
  const hub = await startWith(t, { numberOfClusters: 1, prioritizerPolicy }, 'c1', 'c2', 'c3')
  await whenDecided(hub, 'web', 'c1')
  const report = async (cluster: string, value: number, minutes: number) => {
    const metadata = { namespace: cluster, name: 'load' }
    const validUntil = formatTime(new Date(hub.clock.now().getTime() + minutes * MINUTE))
    const status = { scores: [{ name: 'free', value }], validUntil }
    if ((await hub.client.find(Namespace, { name: cluster })) === undefined) {
      await hub.client.create(Namespace, { metadata: { name: cluster } })
    }
    if ((await hub.client.find(AddOnPlacementScore, metadata)) === undefined) {
      await hub.client.create(AddOnPlacementScore, { metadata })
    }
    await hub.client.patch(AddOnPlacementScore, metadata, { status }, { subresource: 'status' })
  }
  await report('c3', 90, 60)
  const chosen = await whenDecided(hub, 'web', 'c3')
  assert.equal(chosen[0]?.reason, 'replaces c1: its score is 0, and that of c3 is 90')
  assert.equal(chosen[0]?.score, 90)
  await report('c2', 50, 5)
  await hub.client.delete(AddOnPlacementScore, { namespace: 'c3', name: 'load' })
  const next = await whenDecided(hub, 'web', 'c2')
  assert.equal(next[0]?.reason, 'replaces c3: its score is 0, and that of c2 is 50')
  hub.clock.advance(6 * MINUTE)
  await whenDecided(hub, 'web', 'c1')
})

test('placement: shows changed scores at most as often as scoreRateLimit allows', async (t) => {
  const addOn = { resourceName: 'load', scoreName: 'free' }
  const prioritizerPolicy = {
    mode: 'Exact',
    configurations: [{ scoreCoordinate: { type: 'AddOn' as const, addOn }, weight: 1 }],
  }
  const hub = await startWith(t, { numberOfClusters: 1, prioritizerPolicy, scoreRateLimit: '10m' }, 'c1')
  await hub.client.create(Namespace, { metadata: { name: 'c1' } })
  const metadata = { namespace: 'c1', name: 'load' }
  await hub.client.create(AddOnPlacementScore, { metadata })
  const report = (value: number) => {
    const status = { scores: [{ name: 'free', value }] }
    return hub.client.patch(AddOnPlacementScore, metadata, { status }, { subresource: 'status' })
  }
  const decision = { namespace: APPS, name: 'web-decision-1' }
  const shows = (score: number) =>
    hub.when(PlacementDecision, decision, ({ status }) => status?.decisions[0]?.score === score)
  await shows(0)
  await report(40)
  await hub.settle()
  await shows(0)
  hub.clock.advance(10 * MINUTE)
  await shows(40)
  const { status } = await hub.client.get(Placement, { namespace: APPS, name: 'web' })
  assert.ok(status?.lastScoreUpdateTime !== undefined)
})

test('placement: writes nothing when the result is the same, and nothing after a restart', async (t) => {
  const hub = await startWith(t, { numberOfClusters: 2 }, 'c1', 'c2', 'c3', 'c4')
  for (let index = 0; index < 10; index++) await place(hub, `app${index}`, { numberOfClusters: 1 + (index % 3) })
  const isDecided = ({ spec, status }: Placement) => status?.numberOfSelectedClusters === spec.numberOfClusters
  await hub.eventually('all placements are decided', async () => {
    const { items } = await hub.client.list(Placement, { namespace: APPS })
    return items.every(isDecided)
  })
  await hub.settle()
  const versions = async () => {
    const [placements, decisions] = await Promise.all([hub.client.list(Placement), hub.client.list(PlacementDecision)])
    return [...placements.items, ...decisions.items].map(({ metadata }) => [metadata.name, metadata.resourceVersion])
  }
  const before = await versions()
  await label(hub, 'c1', { team: 'red' })
  await hub.client.patch(ManagedCluster, { name: 'c2' }, { metadata: { annotations: { note: 'x' } } })
  await hub.settle()
  assert.deepEqual(await versions(), before)
  await hub.stopControllers()
  await hub.startControllers()
  await hub.settle()
  assert.deepEqual(await versions(), before)
})
