import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, VirtualDataCenter, VirtualMachineRequest } from '@orrery/ovim'
import { OvimFixture } from './ovim-fixture.js'

const ORG = 'org-acme'
const VM = { namespace: ORG, name: 'web' }

async function withVdc(t: { after(fn: () => unknown): void }) {
  const ovim = await OvimFixture.start(t as never)
  const agent = await ovim.connectedAgent('east')
  await ovim.organization('acme')
  await ovim.template()
  await ovim.vdc('acme', 'dev', agent)
  return { ovim, agent }
}

const phase =
  (wanted: string) =>
  ({ status }: VirtualMachineRequest) =>
    status?.phase === wanted

test('virtual machines: are created, run, stop, pause, restart, change and are deleted, one operation at a time', async (t) => {
  const { ovim, agent } = await withVdc(t)
  const on = { namespace: 'vdc-acme-dev', name: 'web' }
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  const created = await agent.complete('VMCreate')
  assert.equal(created.payload.namespace, 'vdc-acme-dev')
  assert.equal((created.payload.template as { image: unknown } & object).image !== undefined, true)
  await ovim.when(VirtualMachineRequest, VM, phase('provisioning'))
  await agent.reportMachines({ ...on, status: 'running', ip_address: '10.0.0.7', node_name: 'n1' })
  const running = await ovim.when(VirtualMachineRequest, VM, phase('running'))
  assert.deepEqual(
    [running.status?.zone, running.status?.ipAddress, running.status?.nodeName, running.status?.namespace],
    ['east', '10.0.0.7', 'n1', 'vdc-acme-dev'],
  )

  const patch = (spec: object) => ovim.client.patch(VirtualMachineRequest, VM, { spec })
  await patch({ powerState: 'Stopped' })
  await agent.complete('VMStop')
  await agent.reportMachines({ ...on, status: 'stopped' })
  await ovim.when(VirtualMachineRequest, VM, phase('stopped'))
  await patch({ powerState: 'Paused' })
  await agent.complete('VMStart')
  await agent.reportMachines({ ...on, status: 'running' })
  await agent.complete('VMPause')
  await ovim.when(VirtualMachineRequest, VM, phase('paused'))
  await patch({ powerState: 'Running' })
  await agent.complete('VMUnpause')
  await patch({ restartedAt: '2026-01-01T00:00:00Z' })
  await agent.complete('VMRestart')
  await agent.reportMachines({ ...on, status: 'running' })
  await patch({ cpu: 4, labels: { tier: 'web' } })
  const update = await agent.complete('VMUpdate')
  assert.equal(update.payload.cpu, '4')
  const ready = await ovim.when(VirtualMachineRequest, VM, ({ status }) =>
    Boolean(status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')),
  )
  assert.equal(ready.status?.operation?.type, 'VMUpdate')
  assert.deepEqual(await agent.poll(), [])

  await ovim.client.delete(VirtualMachineRequest, VM)
  await agent.complete('VMDelete')
  await ovim.whenGone(VirtualMachineRequest, VM)
  await ovim.client.delete(VirtualDataCenter, { namespace: ORG, name: 'dev' })
  await agent.complete('VDCDelete')
  await ovim.whenGone(VirtualDataCenter, { namespace: ORG, name: 'dev' })
})

test('virtual machines: a request that is deleted before an agent has it never reaches one', async (t) => {
  const { ovim, agent } = await withVdc(t)
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  await ovim.eventually('VMCreate is queued', async () =>
    (await ovim.client.list(Operation, { namespace: ORG })).items.some(({ spec }) => spec.type === 'VMCreate'),
  )
  await ovim.client.delete(VirtualMachineRequest, VM)
  await ovim.whenGone(VirtualMachineRequest, VM)
  assert.deepEqual(await agent.poll(), [])
})

test('virtual machines: a failed operation is reported, and repeated after a time', async (t) => {
  const { ovim, agent } = await withVdc(t)
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  await agent.fail('VMCreate', 'exceeded quota: vdc-quota, requested: requests.cpu=1')
  const failed = await ovim.when(VirtualMachineRequest, VM, phase('error'))
  assert.match(failed.status?.message ?? '', /^VMCreate failed: exceeded quota: vdc-quota/)
  assert.deepEqual(await agent.poll(), [])
  ovim.clock.advance(60_000)
  await agent.complete('VMCreate')
  await ovim.when(VirtualMachineRequest, VM, phase('provisioning'))
})

test('virtual machines: a report from before an operation does not undo it', async (t) => {
  const { ovim, agent } = await withVdc(t)
  const on = { namespace: 'vdc-acme-dev', name: 'web' }
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  await agent.complete('VMCreate')
  await ovim.when(VirtualMachineRequest, VM, phase('provisioning'))
  await agent.reportMachines({ ...on, status: 'running' })
  await ovim.when(VirtualMachineRequest, VM, phase('running'))
  const old = agent.statusReport()
  ovim.clock.advance(5_000)
  await ovim.client.patch(VirtualMachineRequest, VM, { spec: { powerState: 'Paused' } })
  await agent.complete('VMPause')
  await ovim.when(VirtualMachineRequest, VM, phase('paused'))
  assert.equal(await agent.rest.status('POST', '/api/v1/spoke/status', old), 200)
  assert.equal((await ovim.client.get(VirtualMachineRequest, VM)).status?.phase, 'paused')
  ovim.clock.advance(5_000)
  await agent.reportMachines({ ...on, status: 'paused' })
  assert.deepEqual(await agent.poll(), [])
})

test('virtual machines: one that was deleted on its cluster is reported as missing, and not created again', async (t) => {
  const { ovim, agent } = await withVdc(t)
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  await agent.complete('VMCreate')
  await ovim.when(VirtualMachineRequest, VM, phase('provisioning'))
  ovim.clock.advance(1_000)
  await agent.reportMachines({ namespace: 'vdc-acme-dev', name: 'web', status: 'running' })
  await ovim.when(VirtualMachineRequest, VM, phase('running'))
  ovim.clock.advance(1_000)
  await agent.report({ vms: [], status: 'degraded' })
  assert.equal((await ovim.client.get(VirtualMachineRequest, VM)).status?.phase, 'running')
  await agent.reportMachines()
  const missing = await ovim.when(VirtualMachineRequest, VM, phase('error'))
  assert.match(missing.status?.message ?? '', /does not exist on the cluster any more/)
  assert.deepEqual(await agent.poll(), [])
})

test('virtual machines: a template that no longer exists and a full quota are explained, and resolved later', async (t) => {
  const { ovim, agent } = await withVdc(t)
  await ovim.vdc('acme', 'tiny', agent, { quota: { cpu: '1', virtualMachines: 1 } })
  const second = { namespace: ORG, name: 'second' }
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'tiny', template: 'gone' } })
  const lost = await ovim.when(VirtualMachineRequest, VM, phase('error'))
  assert.equal(lost.status?.message, 'template "gone" does not exist in org-acme or ovim-system')
  await ovim.template('gone', ORG)
  await agent.complete('VMCreate')
  await ovim.client.create(VirtualMachineRequest, { metadata: second, spec: { vdc: 'tiny', template: 'small' } })
  const full = await ovim.when(VirtualMachineRequest, second, phase('error'))
  assert.match(
    full.status?.message ?? '',
    /^quota of virtual data center tiny exceeded: virtual machines 1 requested, 1 of 1 in use$/,
  )
  await ovim.client.delete(VirtualMachineRequest, VM)
  await agent.complete('VMDelete')
  await agent.complete('VMCreate')
  await ovim.when(VirtualMachineRequest, second, phase('provisioning'))
})
