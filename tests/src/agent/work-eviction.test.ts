import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ManifestWork } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { CLUSTER, configMap, inDefault, WorkPair } from './work-pair.js'

const MINUTE = 60_000

/** Deletes a work from the hub without a trace. */
async function lose(pair: WorkPair, name: string): Promise<void> {
  const ref = { namespace: CLUSTER, name }
  await pair.hub.client.patch(ManifestWork, ref, { metadata: { finalizers: null } })
  await pair.hub.client.delete(ManifestWork, ref)
  await pair.whenWorkGone(name)
}

/** A work with one object, applied by an agent that has stopped since, and lost by the hub. */
async function startWithLostWork(t: TestContext, agent: Parameters<WorkPair['startAgent']>[0] = {}) {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  const first = await pair.startAgent(agent)
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  await first.close()
  await lose(pair, 'w')
  return { clock, pair }
}

/** Waits until an agent has reconciled everything. */
async function whenIdle(agent: Awaited<ReturnType<WorkPair['startAgent']>>): Promise<void> {
  await eventually('everything was reconciled', () => agent.health.every(({ ready, running }) => ready + running === 0))
}

async function whenEvicting(pair: WorkPair, name: string): Promise<void> {
  await eventually(
    'the eviction has begun',
    async () => (await pair.record(name))?.status?.evictionStartTime !== undefined,
  )
}

test('work eviction: objects of a work that the hub lost stay for an hour', async (t) => {
  const { clock, pair } = await startWithLostWork(t)
  const agent = await pair.startAgent()
  await whenEvicting(pair, 'w')
  clock.advance(59 * MINUTE)
  await whenIdle(agent)
  assert.ok(await pair.spoke.client.find(ConfigMap, inDefault('a')))
  await eventually('the record is gone', async () => {
    clock.advance(MINUTE)
    return (await pair.record('w')) === undefined
  })
  await pair.spoke.whenGone(ConfigMap, inDefault('a'))
})

test('work eviction: a work that comes back keeps its objects', async (t) => {
  const { pair } = await startWithLostWork(t)
  const { metadata } = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  await pair.startAgent()
  await whenEvicting(pair, 'w')
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  await eventually('the eviction is off', async () => (await pair.record('w'))?.status?.evictionStartTime === undefined)
  assert.equal((await pair.spoke.client.get(ConfigMap, inDefault('a'))).metadata.uid, metadata.uid)
})

test('work eviction: deletes works of a former hub, and keeps objects that the new one also has', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  const agent = await pair.startAgent({ hubServer: 'https://old.example', agentId: 'agent' })
  await pair.createWork('w', [configMap('both', { x: '1' })])
  await pair.whenApplied('w')
  await agent.close()
  await pair.startAgent({ agentId: 'agent' })
  await pair.spoke.when(ConfigMap, inDefault('both'), ({ metadata }) => metadata.ownerReferences?.length === 2)
  await eventually('the old record is gone', async () => {
    clock.advance(MINUTE)
    const map = await pair.spoke.client.find(ConfigMap, inDefault('both'))
    return map?.metadata.ownerReferences?.length === 1
  })
})

test('work eviction: a grace period of a hundred years disables it', async (t) => {
  const { pair } = await startWithLostWork(t)
  const agent = await pair.startAgent({ options: { evictionGraceMilliseconds: 100 * 365 * 24 * 60 * MINUTE } })
  await whenIdle(agent)
  assert.equal((await pair.record('w'))?.status?.evictionStartTime, undefined)
})

test('work eviction: ignores AppliedManifestWorks of other agents', async (t) => {
  const { clock, pair } = await startWithLostWork(t, { hubServer: 'https://other.example', agentId: 'other' })
  await pair.startAgent({ agentId: 'mine' })
  clock.advance(120 * MINUTE)
  await pair.createWork('v', [configMap('b', { x: '1' })])
  await pair.whenApplied('v')
  assert.equal((await pair.record('w'))?.status?.evictionStartTime, undefined)
})
