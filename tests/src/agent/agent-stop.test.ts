import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Agent } from '@orrery/agent'
import { AGENT_STOPPED_ANNOTATION, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { conditionOf, leaseOf, renew, says } from '../hub/clusters.js'
import type { HubServer } from '../hub/hub-server.js'
import type { Seen } from './hub-link.js'
import { isAvailable, join, trusting } from './joining.js'
import { HUB_SERVER, Spoke, startWorld, type World } from './spoke.js'

const { Available } = ManagedClusterCondition
const SECOND = 1_000
const stopped = says(Available, 'Unknown', 'ManagedClusterAgentStopped')
const clusterOn = (hub: HubServer) => hub.client.get(ManagedCluster, { name: 'c1' })

/** Joins, and resolves when the agent has renewed its lease. */
async function joined({ hub, spoke, link }: World): Promise<Agent> {
  const agent = await join(hub, spoke, link, 'c1')
  const isRenewal = ({ method, path, status }: Seen) => method === 'PUT' && path.includes('/leases/') && status === 200
  await hub.eventually('the lease is renewed', async () => {
    // An agent that starts before its lease is created retries after a second or two.
    hub.clock.advance(100)
    return link.seen.some(isRenewal)
  })
  return agent
}

suite('agent stop', () => {
  test('the hub reports it within seconds', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await joined({ hub, spoke, link })
    await agent.close()
    await hub.settle()
    assert.ok(isAvailable(await clusterOn(hub)), 'a restart takes a moment')
    hub.clock.advance(5 * SECOND)
    const cluster = await hub.when(ManagedCluster, { name: 'c1' }, stopped)
    assert.equal(conditionOf(cluster, Available)?.message, 'Registration agent was stopped.')
    await join(hub, spoke, link, 'c1')
    await hub.settle()
    hub.clock.advance(30 * SECOND)
    await hub.settle()
    assert.ok(isAvailable(await clusterOn(hub)))
  })

  test('a restart within the handover keeps the cluster available', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await joined({ hub, spoke, link })
    const before = conditionOf(await clusterOn(hub), Available)
    await agent.close()
    hub.clock.advance(2 * SECOND)
    await spoke.startAgent(link, { clusterName: 'c1' })
    await hub.when(Lease, leaseOf('c1'), (lease) => {
      const note = lease.metadata.annotations?.[AGENT_STOPPED_ANNOTATION] ?? ''
      return note !== '' && !note.includes(lease.spec?.renewTime ?? '')
    })
    hub.clock.advance(30 * SECOND)
    await hub.settle()
    assert.deepEqual(conditionOf(await clusterOn(hub), Available), before)
  })

  test('leaves the status to another agent that has renewed the lease since', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await joined({ hub, spoke, link })
    await renew(hub, 'c1', 0, agent.agentName)
    await agent.close()
    const lease = await hub.client.get(Lease, leaseOf('c1'))
    assert.equal(lease.metadata.annotations?.[AGENT_STOPPED_ANNOTATION], undefined)
    hub.clock.advance(30 * SECOND)
    await hub.settle()
    assert.ok(isAvailable(await clusterOn(hub)))
  })

  test('frees the name for another agent', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await joined({ hub, spoke, link })
    await agent.close()
    hub.clock.advance(5 * SECOND)
    await hub.when(ManagedCluster, { name: 'c1' }, stopped)
    const other = await Spoke.start(t, hub.clock)
    const next = await join(hub, other, link, 'c1')
    assert.notEqual(next.agentName, agent.agentName)
  })

  test('does not wait for a hub that is down', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const agent = await join(hub, spoke, link, 'c1')
    link.cut(HUB_SERVER)
    await agent.close()
    assert.ok(isConditionTrue((await clusterOn(hub)).status?.conditions, Available))
  })
})
