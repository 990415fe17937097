import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { workPart } from '@orrery/agent'
import { ManagedCluster, ManagedClusterCondition, ManifestWork } from '@orrery/api'
import { agentRoleName } from '@orrery/hub'
import { ClusterRole, ConfigMap, Lease } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import { leaseOf, says } from '../hub/clusters.js'
import { accept, advance, approveAll, isAvailable, join, requestsOf, trusting } from './joining.js'
import { HUB_SERVER, Spoke, startWorld } from './spoke.js'

const { Available, ClockSynced, HubAccepted } = ManagedClusterCondition
const MINUTE = 60_000
const c1 = { name: 'c1' }

/** A clock with an offset. */
function skewed(clock: Clock, milliseconds: number): Clock {
  return {
    now: () => new Date(clock.now().getTime() + milliseconds),
    elapsed: () => clock.elapsed(),
    after: (delay, callback) => clock.after(delay, callback),
  }
}

suite('agent registration', () => {
  test('does not overload a hub that is down, and catches up when it is back', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1')
    link.cut(HUB_SERVER)
    link.seen.length = 0
    await advance(hub, 10 * MINUTE)
    await hub.when(ManagedCluster, c1, says(Available, 'Unknown'))
    const perMinute = link.seen.length / 10
    assert.ok(perMinute < 20, `${perMinute} attempts a minute`)
    await spoke.addNode('n1', { cpu: '4' })
    link.mend(HUB_SERVER)
    await hub.eventually('the cluster is available again, and has caught up', async () => {
      hub.clock.advance(1_000)
      const cluster = await hub.client.get(ManagedCluster, c1)
      return isAvailable(cluster) && cluster.status?.capacity?.cpu === '4'
    })
  })

  test('joins a hub that starts later', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    link.cut(HUB_SERVER)
    const agent = await spoke.startAgent(link, { clusterName: 'c1' })
    await advance(hub, 3 * MINUTE)
    assert.equal(agent.state.phase, 'bootstrapping')
    assert.match(agent.state.problem ?? '', /requests to the hub fail: connection refused/)
    link.mend(HUB_SERVER)
    await hub.eventually('the cluster is available', async () => {
      hub.clock.advance(1_000)
      const cluster = await hub.client.find(ManagedCluster, c1)
      return cluster !== undefined && isAvailable(cluster)
    })
  })

  test('does not join under the name of an active cluster, and joins once that is gone', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const first = await join(hub, spoke, link, 'c1')
    const other = await Spoke.start(t, hub.clock)
    const second = await other.startAgent(link, { clusterName: 'c1' })
    await hub.eventually('the agent reports the active one', async () =>
      /with an active agent/.test(second.state.problem ?? ''),
    )
    await hub.settle()
    assert.equal((await requestsOf(hub, 'c1')).length, 1)
    await first.close()
    await advance(hub, 6 * MINUTE)
    await hub.eventually('it has joined', async () => second.state.phase === 'joined')
    await hub.when(ManagedCluster, c1, isAvailable)
  })

  test('joins under the name of an active cluster with takeOver, if the hub approves', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1')
    const other = await Spoke.start(t, hub.clock)
    const second = await other.startAgent(link, { clusterName: 'c1', takeOver: true })
    await hub.eventually('it sends a request', async () => (await requestsOf(hub, 'c1')).length === 2)
    assert.equal(second.state.phase, 'bootstrapping')
    await approveAll(hub, 'c1')
    await hub.eventually('it has joined', async () => second.state.phase === 'joined')
  })

  test('does not renew the lease while the hub denies the cluster', async (t) => {
    const { hub, spoke, link } = await startWorld(t)
    const agent = await spoke.startAgent(link, { clusterName: 'c1' })
    await hub.eventually('there is a request', async () => (await requestsOf(hub, 'c1')).length > 0)
    await approveAll(hub, 'c1')
    await accept(hub, 'c1')
    await hub.when(ManagedCluster, c1, isAvailable)
    await accept(hub, 'c1', false)
    await hub.when(ManagedCluster, c1, says(HubAccepted, 'False'))
    await hub.eventually('the agent reports it', async () => /does not accept/.test(agent.state.problem ?? ''))
    await hub.settle()
    const renewals = () => link.seen.filter(({ method }) => method === 'PUT').length
    const before = renewals()
    await advance(hub, 5 * MINUTE)
    assert.equal(renewals(), before)
    await accept(hub, 'c1')
    await hub.eventually('the lease is renewed again', async () => {
      hub.clock.advance(1_000)
      return renewals() > before
    })
  })

  test('deletes its works if it starts while its cluster is being detached', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await join(hub, spoke, link, 'c1', { parts: [workPart] })
    const settings = { namespace: 'default', name: 'settings' }
    const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: settings }]
    await hub.client.create(ManifestWork, {
      metadata: { namespace: 'c1', name: 'settings' },
      spec: { workload: { manifests } },
    })
    await hub.eventually('it is applied', async () => (await spoke.client.find(ConfigMap, settings)) !== undefined)
    await agent.close()
    await hub.client.delete(ManagedCluster, c1)
    await hub.eventually('the agent may not read the cluster any more', async () => {
      return (await hub.client.find(ClusterRole, { name: agentRoleName('c1') })) === undefined
    })
    await spoke.startAgent(link, { clusterName: 'c1', parts: [workPart] })
    await hub.eventually('the cluster is gone', async () => {
      hub.clock.advance(1_000)
      return (await hub.client.find(ManagedCluster, c1)) === undefined
    })
    assert.equal(await spoke.client.find(ConfigMap, settings), undefined)
  })

  test('reports that its clock is out of sync, and sends no status', async (t) => {
    const { hub, link } = await startWorld(t, trusting)
    const spoke = await Spoke.start(t, skewed(hub.clock, 10 * MINUTE))
    await spoke.startAgent(link, { clusterName: 'c1' })
    await hub.when(ManagedCluster, c1, says(ClockSynced, 'False'))
    await hub.settle()
    const patches = () => link.seen.filter(({ method, status }) => method === 'PATCH' && status === 200).length
    const before = patches()
    await spoke.addNode('n1', { cpu: '4' })
    await advance(hub, 3 * MINUTE)
    assert.equal(patches(), before)
    assert.equal((await hub.client.get(ManagedCluster, c1)).status?.capacity?.cpu, undefined)
    assert.ok(spoke.log.some((line) => line.includes('the clock of this cluster is out of sync')))
  })

  test('renews its lease as often as leaseDurationSeconds requires', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1', { random: () => 0.5 })
    const renewals = () => link.seen.filter(({ method, status }) => method === 'PUT' && status === 200).length
    const renewed = (count: number) => hub.eventually(`there are ${count} renewals`, async () => renewals() >= count)
    const before = renewals()
    await hub.client.patch(ManagedCluster, c1, { spec: { leaseDurationSeconds: 5 } })
    await renewed(before + 1)
    // The jitter adds an eighth to the duration, half of its maximum.
    for (let count = renewals(); count < before + 9; count++) {
      await hub.settle()
      hub.clock.advance(5_000)
      await hub.settle()
      assert.equal(renewals(), count, 'it is not renewed early')
      hub.clock.advance(1_000)
      await renewed(count + 1)
    }
    await hub.when(Lease, leaseOf('c1'), ({ spec }) => {
      return hub.clock.now().getTime() - Date.parse(spec?.renewTime ?? '') < 10_000
    })
  })
})
