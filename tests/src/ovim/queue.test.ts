import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { Operation, VirtualMachineRequest, type WireOperation } from '@orrery/ovim'
import fc from 'fast-check'
import { OvimFixture } from './ovim-fixture.js'
import type { TestAgent } from './test-agent.js'

const NAMESPACE = 'ovim-system'
const LEASE_MS = 61_000

interface Wanted {
  readonly zone?: string
  readonly target?: string
  readonly spec?: object
}

function queueOperation(ovim: OvimFixture, name: string, { zone = 'east', target = name, spec = {} }: Wanted = {}) {
  return ovim.client.create(Operation, {
    metadata: { namespace: NAMESPACE, name, labels: { 'ovim.io/zone': zone } },
    spec: {
      type: 'VMStart',
      zone,
      target: { kind: 'VirtualMachineRequest', namespace: 'org-x', name: target },
      payload: { name: target, namespace: 'vdc-x-y' },
      ...spec,
    },
  })
}

const operationOf = (ovim: OvimFixture, name: string) => ovim.client.get(Operation, { namespace: NAMESPACE, name })

const names = (operations: readonly WireOperation[]) => operations.map(({ payload }) => payload.name as string)

/** Polls until some operation comes. */
const delivered = (ovim: OvimFixture, agent: TestAgent) =>
  eventually(
    'an operation is delivered',
    async () => {
      const found = await agent.poll()
      return found.length > 0 && found
    },
    { meanwhile: () => ovim.clock.advance(1) },
  )

test('operation queue: an operation whose response is lost is delivered again after its lease, with the same id', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await queueOperation(ovim, 'a')
  const [first] = await delivered(ovim, agent)
  assert.deepEqual(await agent.poll(), [])
  ovim.clock.advance(LEASE_MS)
  const [second] = await delivered(ovim, agent)
  assert.equal(second?.id, first?.id)
  assert.equal(second?.retry_count, 1)
  assert.equal(
    (await agent.result(first?.id ?? '', 'completed', { result: { done: true }, duration: 2_000_000 })).status,
    200,
  )
  ovim.clock.advance(LEASE_MS)
  assert.deepEqual(await agent.poll(), [])
  const { status } = await operationOf(ovim, 'a')
  assert.deepEqual(
    [status?.phase, status?.attempts, status?.result, status?.durationMilliseconds],
    ['Completed', 2, { done: true }, 2],
  )
})

test('operation queue: a waiting agent gets an operation at once, and 204 after its wait', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const waiting = agent.poll('&wait=30')
  await eventually('the agent waits', () => ovim.hub.metrics.render().includes('ovim_hub_agents_waiting 1'))
  await queueOperation(ovim, 'a')
  assert.deepEqual(names(await waiting), ['a'])
  const empty = agent.rest.send('GET', `${agent.pollPath}&wait=30`)
  await eventually('the agent waits', () => ovim.hub.metrics.render().includes('ovim_hub_agents_waiting 1'))
  ovim.clock.advance(30_000)
  assert.equal((await empty).status, 204)
  const redelivered = agent.poll('&wait=60')
  await eventually('the agent waits', () => ovim.hub.metrics.render().includes('ovim_hub_agents_waiting 1'))
  ovim.clock.advance(LEASE_MS - 30_000)
  assert.deepEqual(names(await redelivered), ['a'])
})

test('operation queue: a hub that stops ends waiting polls, and the next one delivers what the last accepted', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const waiting = agent.rest.send('GET', `${agent.pollPath}&wait=30`)
  await eventually('the agent waits', () => ovim.hub.metrics.render().includes('ovim_hub_agents_waiting 1'))
  await ovim.stop()
  assert.equal((await waiting).status, 204)
  await queueOperation(ovim, 'accepted')
  await ovim.restart()
  assert.deepEqual(names(await delivered(ovim, agent)), ['accepted'])
})

test('operation queue: operations of one target are delivered one by one, in order, and others beside them', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await queueOperation(ovim, 'b1', { target: 'vm' })
  ovim.clock.advance(1_000)
  await queueOperation(ovim, 'a2', { target: 'vm' })
  await queueOperation(ovim, 'c', { target: 'other' })
  const seen: WireOperation[] = []
  await ovim.eventually('two are delivered', async () => seen.push(...(await agent.poll())) >= 2)
  assert.deepEqual(names(seen).sort(), ['other', 'vm'])
  const first = seen.find(({ payload }) => payload.name === 'vm')
  assert.equal(first?.id, (await operationOf(ovim, 'b1')).metadata.uid)
  assert.deepEqual(await agent.poll(), [])
  await agent.result(first?.id ?? '', 'failed', { error: 'no such machine' })
  const [next] = await delivered(ovim, agent)
  assert.equal(next?.id, (await operationOf(ovim, 'a2')).metadata.uid)
})

test('operation queue: progress extends the lease, and the first result stays', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await queueOperation(ovim, 'a')
  const [{ id = '' } = {}] = await delivered(ovim, agent)
  ovim.clock.advance(40_000)
  await agent.result(id, 'running')
  ovim.clock.advance(40_000)
  assert.deepEqual(await agent.poll(), [])
  assert.equal((await operationOf(ovim, 'a')).status?.phase, 'Running')
  await agent.result(id, 'failed', { error: 'first' })
  assert.equal((await agent.result(id, 'completed')).status, 200)
  assert.equal((await agent.result(id, 'running')).status, 200)
  const { status } = await operationOf(ovim, 'a')
  assert.deepEqual([status?.phase, status?.error], ['Failed', 'first'])
})

test('operation queue: expires at the deadline with a reason, and takes a late result', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await queueOperation(ovim, 'never', { zone: 'nowhere', spec: { deadlineSeconds: 100 } })
  await queueOperation(ovim, 'late', { spec: { deadlineSeconds: 100 } })
  const [{ id = '' } = {}] = await delivered(ovim, agent)
  ovim.clock.advance(200_000)
  const ref = (name: string) => ({ namespace: NAMESPACE, name })
  const never = await ovim.when(Operation, ref('never'), ({ status }) => status?.phase === 'Expired')
  assert.match(never.status?.error ?? '', /^no agent of zone "nowhere" asked for the operation before its deadline/)
  const late = await ovim.when(Operation, ref('late'), ({ status }) => status?.phase === 'Expired')
  assert.match(late.status?.error ?? '', /got the operation 1 times and did not report/)
  assert.deepEqual(await agent.poll(), [])
  await agent.result(id, 'completed')
  assert.equal((await operationOf(ovim, 'late')).status?.phase, 'Completed')
})

test('operation queue: removes finished operations after the retention, and the oldest of too many', async (t) => {
  const ovim = await OvimFixture.start(t, { retention: { retentionMilliseconds: 3_600_000, maxFinished: 4 } })
  const agent = await ovim.connectedAgent('east')
  for (let index = 0; index < 6; index++) {
    await queueOperation(ovim, `o${index}`)
    const [{ id = '' } = {}] = await delivered(ovim, agent)
    await agent.result(id, 'completed')
    ovim.clock.advance(1_000)
  }
  const rest = async () =>
    (await ovim.client.list(Operation, { namespace: NAMESPACE })).items.map(({ metadata }) => metadata.name)
  await ovim.eventually('four are left', async () => (await rest()).length === 4)
  assert.deepEqual((await rest()).sort(), ['o2', 'o3', 'o4', 'o5'])
  const late = await agent.result('00000000-0000-0000-0000-000000000000', 'completed')
  assert.equal(late.status, 200)
  assert.match(late.body.message, /not known any more/)
  ovim.clock.advance(3_700_000)
  await ovim.eventually('none is left', async () => (await rest()).length === 0)
})

/** What can happen between a hub and an agent. */
type Step = 'poll' | 'lost poll' | 'result' | 'repeated result' | 'progress' | 'time' | 'kill hub' | 'kill agent'
const STEPS: readonly Step[] = [
  'poll',
  'lost poll',
  'result',
  'repeated result',
  'progress',
  'time',
  'kill hub',
  'kill agent',
]

test('operation queue: whatever is lost, repeated or killed, every operation ends as its first result says', async (t) => {
  const ovim = await OvimFixture.start(t)
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 5, maxLength: 25 }), async (steps) => {
      const zone = `zone-${run++}`
      const agent = await ovim.connectedAgent(zone)
      const all = [0, 1, 2, 3].map((index) => `${zone}-${index}`)
      // Two of them are for one target.
      for (const name of all) await queueOperation(ovim, name, { zone, target: name.replace(/1$/, '0') })
      const held = new Map<string, WireOperation>()
      const first = new Map<string, string>()
      const finish = async (id: string, status: 'completed' | 'failed') => {
        if ((await agent.result(id, status, { error: 'because' })).status !== 200)
          throw new Error('the result was refused')
        if (!first.has(id)) first.set(id, status)
      }
      const take = async () => {
        const found = await agent.poll()
        const targets = new Set(names(found))
        assert.equal(targets.size, found.length, 'two operations of one target at a time')
        for (const operation of found) assert.ok(!first.has(operation.id), 'a finished operation was delivered')
        return found
      }
      for (const step of steps) {
        const [operation] = held.values()
        if (step === 'poll') for (const one of await take()) held.set(one.id, one)
        else if (step === 'lost poll') await take()
        else if (step === 'time') ovim.clock.advance(45_000)
        else if (step === 'kill agent') held.clear()
        else if (step === 'kill hub') {
          await ovim.stop()
          await ovim.restart()
        } else if (operation !== undefined && step === 'progress') await agent.result(operation.id, 'running')
        else if (operation !== undefined && step === 'result') {
          await finish(operation.id, operation.id < '8' ? 'completed' : 'failed')
          held.delete(operation.id)
        }
        const [done] = first.keys()
        if (step === 'repeated result' && done !== undefined) await finish(done, 'completed')
      }
      await ovim.eventually('all are finished', async () => {
        for (const one of await take()) await finish(one.id, 'completed')
        if (first.size < all.length) ovim.clock.advance(5_000)
        return first.size === all.length
      })
      for (const name of all) {
        const { metadata, status } = await operationOf(ovim, name)
        assert.equal(status?.phase, first.get(metadata.uid) === 'completed' ? 'Completed' : 'Failed')
      }
    }),
    { numRuns: 12 },
  )
})

test('operation queue: keeps finished operations until their virtual machines have recorded the result', async (t) => {
  const ovim = await OvimFixture.start(t, { retention: { maxFinished: 0 } })
  const agent = await ovim.connectedAgent('east')
  await ovim.organization('acme')
  await ovim.template()
  await ovim.vdc('acme', 'dev', agent)
  const count = 20
  for (let index = 0; index < count; index++) {
    await ovim.client.create(VirtualMachineRequest, {
      metadata: { namespace: 'org-acme', name: `vm-${index}` },
      spec: { vdc: 'dev', template: 'small' },
    })
  }
  const created: string[] = []
  await ovim.eventually('all machines are created', async () => {
    const found = await agent.poll()
    for (const { payload } of found) created.push(payload.name as string)
    await Promise.all(found.map(({ id }) => agent.result(id, 'completed')))
    const { items } = await ovim.client.list(VirtualMachineRequest)
    return items.every(({ status }) => status?.created === true)
  })
  assert.equal(created.length, count, 'no machine is created twice')
  await ovim.eventually('the finished operations are removed', async () => {
    ovim.clock.advance(10_000)
    return (await ovim.client.list(Operation, { namespace: 'org-acme' })).items.length === 0
  })
})
