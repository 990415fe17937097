import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  CLUSTER_NAME_LABEL,
  LEASE_GRACE_FACTOR_ANNOTATION,
  ManagedCluster,
  ManagedClusterCondition,
  SKIP_CLOCK_SYNC_ANNOTATION,
} from '@orrery/api'
import { Event, Lease, Namespace } from '@orrery/kinds'
import {
  acceptedCluster,
  availableCluster,
  type ClusterSettings,
  conditionOf,
  createCluster,
  leaseOf,
  renew,
  report,
  says,
} from './clusters.js'
import { HubServer } from './hub-server.js'

const { Available, ClockSynced } = ManagedClusterCondition
const silent = says(Available, 'Unknown', 'ManagedClusterLeaseUpdateStopped')
const SECOND = 1_000

/** How many seconds after its last renewal a cluster becomes unreachable. */
async function noticedAfter(hub: HubServer, name: string): Promise<number> {
  await renew(hub, name)
  await hub.settle()
  const renewed = Date.parse((await hub.client.get(Lease, leaseOf(name))).spec?.renewTime ?? '')
  for (;;) {
    hub.clock.advance(SECOND / 4)
    await hub.settle()
    const cluster = await hub.client.get(ManagedCluster, { name })
    if (silent(cluster)) return (hub.clock.now().getTime() - renewed) / SECOND
    if (hub.clock.now().getTime() - renewed > 120 * SECOND) return Number.POSITIVE_INFINITY
  }
}

suite('cluster lease', () => {
  test('is created when the cluster is accepted, and not before', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c0')
    await acceptedCluster(hub, 'c1')
    const lease = await hub.when(Lease, leaseOf('c1'))
    assert.deepEqual(lease.metadata.labels, { [CLUSTER_NAME_LABEL]: 'c1' })
    assert.equal(lease.spec?.holderIdentity, 'managed-cluster-lease')
    assert.equal(lease.spec?.leaseDurationSeconds, undefined)
    assert.match(lease.spec?.renewTime ?? '', /^2030-01-01T00:00:0/)
    await hub.client.delete(Lease, leaseOf('c1'))
    await hub.when(Lease, leaseOf('c1'))
    assert.equal(await hub.client.find(Namespace, { name: 'c0' }), undefined)
  })

  test('expires after five lease durations', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await renew(hub, 'c1')
    await hub.settle()
    hub.clock.advance(295 * SECOND)
    await hub.settle()
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), Available)?.status, 'True')
    hub.clock.advance(5 * SECOND)
    const cluster = await hub.when(ManagedCluster, { name: 'c1' }, silent)
    assert.equal(conditionOf(cluster, Available)?.message, 'Registration agent stopped updating its lease.')
    await hub.eventually('the event is there', async () => {
      const { items } = await hub.client.list(Event, { namespace: 'c1' })
      return items.some(({ reason, type }) => reason === 'AvailableUnknown' && type === 'Warning')
    })
  })

  test('keeps its cluster available while it is renewed', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    for (let round = 0; round < 8; round++) {
      await renew(hub, 'c1')
      await hub.settle()
      hub.clock.advance(250 * SECOND)
      await hub.settle()
    }
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), Available)?.status, 'True')
  })

  test('that is renewed again lets the agent report that it is available', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    hub.clock.advance(301 * SECOND)
    const cluster = await hub.when(ManagedCluster, { name: 'c1' }, silent)
    await renew(hub, 'c1')
    await report(hub, cluster, Available, 'True')
    await hub.settle()
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), Available)?.status, 'True')
    hub.clock.advance(301 * SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, silent)
  })

  test('of 5 seconds detects a lost cluster at the second missed renewal', async (t) => {
    const hub = await HubServer.start(t)
    const settings: ClusterSettings = {
      spec: { leaseDurationSeconds: 5 },
      annotations: { [LEASE_GRACE_FACTOR_ANNOTATION]: '2.5' },
    }
    await availableCluster(hub, 'c1', settings)
    const seconds = await noticedAfter(hub, 'c1')
    assert.ok(seconds >= 12.5 && seconds < 13.5, `${seconds} s`)
  })

  test('has the grace period of the hub', async (t) => {
    const hub = await HubServer.start(t, { options: { leaseGraceFactor: 2 } })
    await availableCluster(hub, 'c1', { spec: { leaseDurationSeconds: 5 } })
    const seconds = await noticedAfter(hub, 'c1')
    assert.ok(seconds >= 10 && seconds < 11, `${seconds} s`)
  })

  test('has no longer grace period if the clock of the cluster is ahead', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await renew(hub, 'c1', 86_400 * SECOND)
    await hub.settle()
    hub.clock.advance(299 * SECOND)
    await hub.settle()
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), Available)?.status, 'True')
    hub.clock.advance(SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, silent)
  })

  test('has no longer grace period if the clock of the hub is set back', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await renew(hub, 'c1')
    await hub.settle()
    hub.clock.adjust(-86_400 * SECOND)
    hub.clock.advance(299 * SECOND)
    await hub.settle()
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), Available)?.status, 'True')
    hub.clock.advance(SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, silent)
  })

  test('that expired while the hub was down gets another grace period', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await hub.stopControllers()
    hub.clock.advance(3_600 * SECOND)
    await hub.startControllers()
    await hub.settle()
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), Available)?.status, 'True')
    hub.clock.advance(301 * SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, silent)
  })

  test('is ignored for a cluster that is being deleted', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { finalizers: ['example.com/hold'] } })
    await hub.client.delete(ManagedCluster, { name: 'c1' })
    await hub.client.delete(Lease, leaseOf('c1'))
    await hub.when(ManagedCluster, { name: 'c1' }, silent)
    assert.equal(await hub.client.find(Lease, leaseOf('c1')), undefined)
  })
})

suite('cluster clock', () => {
  test('is compared at each renewal', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1')
    await renew(hub, 'c1', 299 * SECOND)
    const synced = await hub.when(
      ManagedCluster,
      { name: 'c1' },
      says(ClockSynced, 'True', 'ManagedClusterClockSynced'),
    )
    assert.ok(conditionOf(synced, ClockSynced)?.message)
    await renew(hub, 'c1', 301 * SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, says(ClockSynced, 'False', 'ManagedClusterClockOutOfSync'))
    await renew(hub, 'c1')
    await hub.when(ManagedCluster, { name: 'c1' }, says(ClockSynced, 'True'))
    await renew(hub, 'c1', -301 * SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, says(ClockSynced, 'False'))
  })

  test('is not compared if the cluster disables it', async (t) => {
    const hub = await HubServer.start(t)
    await availableCluster(hub, 'c1', { annotations: { [SKIP_CLOCK_SYNC_ANNOTATION]: 'true' } })
    await renew(hub, 'c1', 3_600 * SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, says(ClockSynced, 'True'))
  })
})

suite('cluster taints', () => {
  const taints = (cluster: ManagedCluster) => (cluster.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
  const unreachable = 'cluster.open-cluster-management.io/unreachable:NoSelect'
  const unavailable = 'cluster.open-cluster-management.io/unavailable:NoSelect'
  const own = { key: 'example.com/own', value: 'x', effect: 'NoSelectIfNew' } as const

  test('follow the availability, and keep others', async (t) => {
    const hub = await HubServer.start(t)
    const tainted = (...wanted: string[]) =>
      hub.when(
        ManagedCluster,
        { name: 'c1' },
        (cluster) => taints(cluster).join() === ['example.com/own:NoSelectIfNew', ...wanted].join(),
      )
    const cluster = await acceptedCluster(hub, 'c1', { spec: { taints: [own] } })
    await tainted(unreachable)
    await report(hub, cluster, Available, 'True')
    await tainted()
    await report(hub, cluster, Available, 'False')
    await tainted(unavailable)
    await report(hub, cluster, Available, 'Unknown')
    await tainted(unreachable)
    await report(hub, cluster, Available, 'False')
    await tainted(unavailable)
    await report(hub, cluster, Available, 'True')
    await tainted()
    await hub.eventually('it was reported', async () => {
      const { items } = await hub.client.list(Event)
      return items.some(({ reason, regarding, note }) => {
        const isAbout = regarding?.name === 'c1' && reason === 'ManagedClusterConditionAvailableUpdated'
        return isAbout && note === 'the taints of cluster c1 are now: example.com/own'
      })
    })
  })

  test('are removed if none is left', async (t) => {
    const hub = await HubServer.start(t)
    const cluster = await acceptedCluster(hub, 'c1')
    await hub.when(ManagedCluster, { name: 'c1' }, (now) => taints(now).join() === unreachable)
    await report(hub, cluster, Available, 'True')
    await hub.when(ManagedCluster, { name: 'c1' }, ({ spec }) => spec?.taints === undefined)
  })
})
