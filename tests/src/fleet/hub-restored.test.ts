import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AGENT_NAMESPACE,
  CLUSTER_VERSION_ANNOTATION,
  HUB_KUBECONFIG_SECRET,
  ManagedCluster,
  ManifestWork,
} from '@orrery/api'
import { ConfigMap, Secret } from '@orrery/kinds'
import { configMap } from '../agent/work-pair.js'
import { approveAll, TlsHub, TlsSpoke } from './tls-fleet.js'

const MINUTE = 60_000
const workOf = (name: string) => ({ namespace: 'c1', name })
const holding = (name: string, value: string) => ({ workload: { manifests: [configMap(name, { value })] } })

/** Restores a hub from a backup. */
async function goBack(hub: TlsHub, backup: string): Promise<void> {
  await hub.stop()
  await hub.restore(backup)
  await hub.resume()
}

test('restored hub: deletes nothing at once, and adopts works that are created again', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  const agent = await spoke.join(hub, 'c1')
  await hub.giveWork('c1', 'old', [configMap('old', { value: '1' })])
  await hub.giveWork('c1', 'deleted', [configMap('deleted', { value: '1' })])
  await hub.whenApplied('c1', 'old')
  await hub.whenApplied('c1', 'deleted')
  const backup = await hub.backup()
  for (const name of ['adopted', 'lost']) {
    await hub.giveWork('c1', name, [configMap(name, { value: '1' })])
    await hub.whenApplied('c1', name)
  }
  await hub.client.delete(ManifestWork, workOf('deleted'))
  await hub.eventually('it is gone', async () => (await spoke.uidOf('deleted')) === undefined)
  const names = ['old', 'adopted', 'lost']
  const uids = () => Promise.all(names.map((name) => spoke.uidOf(name)))
  const before = await uids()

  await goBack(hub, backup)
  assert.equal(await hub.client.find(ManifestWork, workOf('lost')), undefined)
  await hub.eventually('the agent knows what the hub lost', async () => {
    const records = await Promise.all(['adopted', 'lost'].map((name) => spoke.recordOf(name)))
    return records.every((record) => record?.status?.evictionStartTime !== undefined)
  })
  await hub.eventually(
    'works that were created again are applied',
    async () => (await spoke.valueOf('deleted')) === '1',
  )
  await hub.wait(50 * MINUTE)
  await hub.whenAvailable('c1')
  assert.equal(agent.state.problem, undefined)
  assert.deepEqual(await uids(), before)

  await hub.giveWork('c1', 'adopted', [configMap('adopted', { value: '2' })])
  await hub.whenApplied('c1', 'adopted')
  assert.equal(await spoke.valueOf('adopted'), '2')
  await hub.eventually(
    'works that were not created again are evicted',
    async () => (await spoke.uidOf('lost')) === undefined,
    10_000,
  )
  await hub.wait(2 * 60 * MINUTE, 5 * MINUTE)
  assert.deepEqual((await uids()).slice(0, 2), before.slice(0, 2))
  assert.equal((await spoke.recordOf('adopted'))?.status?.evictionStartTime, undefined)
})

test('restored hub: applies a work changed after the restore, though its generation was used before', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1')
  await hub.giveWork('c1', 'w', [configMap('w', { value: 'before' })])
  await hub.whenApplied('c1', 'w')
  const backup = await hub.backup()
  await hub.client.patch(ManifestWork, workOf('w'), { spec: holding('w', 'forgotten') })
  await hub.eventually('the change is applied', async () => (await spoke.valueOf('w')) === 'forgotten')
  await goBack(hub, backup)
  // The agent is not back yet: it will see a generation that it knows.
  const { metadata } = await hub.client.patch(ManifestWork, workOf('w'), { spec: holding('w', 'after') })
  assert.equal(metadata.generation, 2)
  await hub.eventually('the change is applied', async () => (await spoke.valueOf('w')) === 'after')
  await hub.whenApplied('c1', 'w')
})

test('restored hub: a cluster that joined after the backup rejoins by itself, and keeps its objects', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  const backup = await hub.backup()
  // More happens on a hub than is repeated after a restore.
  for (let index = 0; index < 200; index++) {
    await hub.client.create(ConfigMap, { metadata: { namespace: 'default', name: `cm${index}` } })
  }
  const agent = await spoke.join(hub, 'c1')
  await hub.giveWork('c1', 'w', [configMap('w', { value: '1' })])
  await hub.whenApplied('c1', 'w')
  const before = await spoke.uidOf('w')
  await goBack(hub, backup)
  await hub.eventually('the hub has it again', async () => {
    return (await hub.client.find(ManagedCluster, { name: 'c1' })) !== undefined
  })
  await hub.whenAvailable('c1')
  assert.equal(agent.state.problem, undefined)
  await hub.giveWork('c1', 'w', [configMap('w', { value: '2' })])
  await hub.whenApplied('c1', 'w')
  assert.deepEqual([await spoke.uidOf('w'), await spoke.valueOf('w')], [before, '2'])
})

test('restored hub: a cluster that the backup may contain does not rejoin, reports it, and can be accepted again', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  const backup = await hub.backup()
  const agent = await spoke.join(hub, 'c1')
  await hub.giveWork('c1', 'w', [configMap('w', { value: '1' })])
  await hub.whenApplied('c1', 'w')
  const before = await spoke.uidOf('w')
  const identity = { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET }
  await spoke.client.patch(Secret, identity, { metadata: { annotations: { [CLUSTER_VERSION_ANNOTATION]: '' } } })
  await goBack(hub, backup)
  await hub.eventually(
    'the agent reports it',
    () => /restored from an older backup/.test(agent.state.problem ?? ''),
    1_000,
  )
  await hub.wait(120 * MINUTE, 3 * MINUTE)
  assert.equal(await hub.client.find(ManagedCluster, { name: 'c1' }), undefined)
  assert.equal((await spoke.recordOf('w'))?.status?.evictionStartTime, undefined)

  // A certificate is valid for one ManagedCluster: the agent has to request another when it rejoins.
  await hub.client.create(ManagedCluster, { metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } })
  await hub.wait(2 * MINUTE, 5_000)
  assert.match(agent.state.problem ?? '', /another agent joined under its name/)
  await agent.close()
  const next = await spoke.startAgent(hub, 'c1', { rejoin: true })
  await hub.eventually('it sends a request', async () => (await approveAll(hub)) > 0, 1_000)
  await hub.whenAvailable('c1')
  assert.notEqual(next.agentName, agent.agentName)
  await hub.giveWork('c1', 'w', [configMap('w', { value: '2' })])
  await hub.whenApplied('c1', 'w')
  assert.deepEqual([await spoke.uidOf('w'), await spoke.valueOf('w')], [before, '2'])
})

test('detached cluster: rejoins only with the option rejoin', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  const agent = await spoke.join(hub, 'c1', { rejoin: true })
  const isThere = async () => (await hub.client.find(ManagedCluster, { name: 'c1' })) !== undefined
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.eventually('it is gone', async () => !(await isThere()))
  await hub.eventually('the agent reports it', () => /its cluster was detached/.test(agent.state.problem ?? ''), 1_000)
  await hub.wait(10 * MINUTE, 15_000)
  assert.equal(await isThere(), false)
  await agent.close()
  const later = await spoke.startAgent(hub, 'c1')
  await hub.eventually(
    'the next agent reports it',
    () => /its cluster was detached/.test(later.state.problem ?? ''),
    1_000,
  )
  await hub.wait(10 * MINUTE, 15_000)
  assert.equal(await isThere(), false)
  await later.close()
  await spoke.join(hub, 'c1', { rejoin: true })
})

test('detached cluster: with the option rejoin, joins as soon as the detachment is complete', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  const agent = await spoke.join(hub, 'c1')
  await agent.close()
  const ref = { name: 'c1' }
  const find = () => hub.client.find(ManagedCluster, ref)
  const { metadata } = await hub.client.get(ManagedCluster, ref)
  const finalizers = ['example.com/slow']
  await hub.client.patch(ManagedCluster, ref, {
    metadata: { finalizers: [...(metadata.finalizers ?? []), ...finalizers] },
  })
  await hub.client.delete(ManagedCluster, ref)
  await hub.eventually('only one thing is left to do', async () => (await find())?.metadata.finalizers?.length === 1)
  spoke.asked.length = 0
  await spoke.startAgent(hub, 'c1', { rejoin: true })
  await hub.eventually('the agent has noticed', () =>
    spoke.asked.some(({ path, status }) => path.endsWith('/managedclusters/c1') && status === 200),
  )
  await hub.client.patch(ManagedCluster, ref, { metadata: { finalizers: [] } })
  const since = hub.clock.elapsed()
  await hub.eventually('it is back', async () => ![undefined, metadata.uid].includes((await find())?.metadata.uid))
  assert.ok(hub.clock.elapsed() - since < 15_000)
})
