import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, VirtualMachineRequest } from '@orrery/ovim'
import { OvimFixture } from './ovim-fixture.js'

const HOUR_MS = 3_600_000

async function machines(t: Parameters<typeof OvimFixture.start>[0], ...names: string[]) {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await ovim.organization('acme')
  await ovim.template()
  await ovim.vdc('acme', 'dev', agent)
  for (const name of names) {
    await ovim.client.create(VirtualMachineRequest, {
      metadata: { namespace: 'org-acme', name },
      spec: { vdc: 'dev', template: 'small' },
    })
  }
  return { ovim, agent }
}

const machine = (name: string) => ({ namespace: 'org-acme', name })

test('faults: a hub that is away for an hour continues with the operations and results of both sides', async (t) => {
  const { ovim, agent } = await machines(t, 'executed', 'taken')
  const taken = new Map<string, string>()
  await ovim.eventually('both are delivered', async () => {
    for (const { id, payload } of await agent.poll()) taken.set(payload.name as string, id)
    return taken.size === 2
  })
  await ovim.stop()
  // A user creates another meanwhile, with kubectl.
  await ovim.client.create(VirtualMachineRequest, {
    metadata: machine('queued'),
    spec: { vdc: 'dev', template: 'small' },
  })
  const executedAt = ovim.clock.now().toISOString()
  await assert.rejects(agent.result(taken.get('executed') ?? '', 'completed'))
  ovim.clock.advance(HOUR_MS)
  await ovim.restart()
  assert.equal((await agent.result(taken.get('executed') ?? '', 'completed', { timestamp: executedAt })).status, 200)
  const created = await ovim.when(VirtualMachineRequest, machine('executed'), ({ status }) => status?.created === true)
  assert.equal(created.status?.phase, 'provisioning')
  await agent.report()
  const again = new Map<string, string>()
  await ovim.eventually('the others are delivered', async () => {
    for (const { id, payload } of await agent.poll()) again.set(payload.name as string, id)
    return again.size === 2
  })
  assert.deepEqual([...again.keys()].sort(), ['queued', 'taken'])
  assert.equal(again.get('taken'), taken.get('taken'))
  for (const id of again.values()) await agent.result(id, 'completed')
  for (const name of ['taken', 'queued'])
    await ovim.when(VirtualMachineRequest, machine(name), ({ status }) => status?.created === true)
})

test('faults: an agent that was killed between executing and reporting gets the same operation, and nothing twice', async (t) => {
  const { ovim, agent } = await machines(t, 'web')
  const first = await agent.next('VMCreate')
  ovim.clock.advance(61_000)
  const second = await agent.next('VMCreate')
  assert.deepEqual([second.id, second.retry_count], [first.id, 1])
  await agent.result(second.id, 'completed')
  // The result of the killed one arrives late.
  await agent.result(first.id, 'failed', { error: 'killed' })
  await ovim.when(VirtualMachineRequest, machine('web'), ({ status }) => status?.created === true)
  const { items } = await ovim.client.list(Operation, { namespace: 'org-acme' })
  assert.deepEqual(
    items.filter(({ spec }) => spec.type === 'VMCreate').map(({ status }) => [status?.phase, status?.attempts]),
    [['Completed', 2]],
  )
})

test('faults: a hub that is killed at any step of a machine loses and repeats nothing', async (t) => {
  const { ovim, agent } = await machines(t, 'web')
  const restart = async () => {
    await ovim.stop()
    await ovim.restart()
  }
  await restart()
  const create = await agent.next('VMCreate')
  await restart()
  await agent.result(create.id, 'completed')
  await restart()
  await ovim.when(VirtualMachineRequest, machine('web'), ({ status }) => status?.created === true)
  await agent.reportMachines({ namespace: 'vdc-acme-dev', name: 'web', status: 'running' })
  await ovim.client.patch(VirtualMachineRequest, machine('web'), { spec: { powerState: 'Stopped' } })
  await restart()
  const stop = await agent.next('VMStop')
  await ovim.client.delete(VirtualMachineRequest, machine('web'))
  await restart()
  await agent.result(stop.id, 'completed')
  await agent.complete('VMDelete')
  await ovim.whenGone(VirtualMachineRequest, machine('web'))
  const types = (await ovim.client.list(Operation, { namespace: 'org-acme' })).items.map(({ spec }) => spec.type)
  assert.deepEqual(types.sort(), ['VDCCreate', 'VMCreate', 'VMDelete', 'VMStop'])
})

test('faults: while the API server cannot be reached, requests are refused and can be repeated', async (t) => {
  const { ovim, agent } = await machines(t, 'web')
  const operation = await agent.next('VMCreate')
  ovim.isApiServerAway = true
  for (const problem of [/cannot be reached/, /cannot be reviewed at the moment/]) {
    const reply = await agent.result(operation.id, 'completed')
    assert.deepEqual([reply.status, reply.headers['retry-after']], [503, '1'])
    assert.match(reply.body.error, problem)
    // Answers about tokens and permissions are forgotten.
    ovim.clock.advance(11_000)
  }
  ovim.isApiServerAway = false
  assert.equal((await agent.result(operation.id, 'completed')).status, 200)
  await ovim.when(VirtualMachineRequest, machine('web'), ({ status }) => status?.created === true)
})
