import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pod } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { PLAY_SHUTDOWN, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { namespace, refOf, startVmCluster, type VmCluster, vmDraft } from './vm-cluster.js'

async function runningVm(cluster: VmCluster, name: string, options: Parameters<typeof vmDraft>[1] = {}) {
  await cluster.client.create(VirtualMachine, vmDraft(name, options))
  await cluster.vmIs(name, 'Running')
  return cluster.instance(name)
}

test('subresources: pause stops the guest, unpause resumes it, and its pod is not ready meanwhile', async (t) => {
  const cluster = await startVmCluster(t)
  await runningVm(cluster, 'vm')
  assert.deepEqual(await cluster.call('virtualmachineinstances', 'vm', 'pause'), { status: 200, body: '' })
  const paused = await cluster.vmIs('vm', 'Paused')
  assert.equal(findCondition(paused.status?.conditions, 'Paused')?.reason, 'PausedByUser')
  await cluster.eventually('the pod is not ready', async () => {
    const [pod] = (await cluster.client.list(Pod, { namespace })).items
    return pod !== undefined && !isConditionTrue(pod.status?.conditions, 'Ready')
  })
  await cluster.until(VirtualMachine, 'vm', 'it is not ready', ({ status }) => status?.ready === false)
  const again = await cluster.call('virtualmachineinstances', 'vm', 'pause')
  assert.equal(again.status, 409)
  assert.match(JSON.parse(again.body).message, /virtualmachineinstance\.kubevirt\.io "vm": VMI is already paused$/)
  assert.equal((await cluster.call('virtualmachineinstances', 'vm', 'unpause')).status, 200)
  const running = await cluster.vmIs('vm', 'Running')
  assert.equal(findCondition(running.status?.conditions, 'Paused'), undefined)
  await cluster.until(VirtualMachine, 'vm', 'it is ready', ({ status }) => status?.ready === true)
  assert.equal((await cluster.call('virtualmachineinstances', 'vm', 'unpause')).status, 409)
})

test('subresources: start with paused starts a paused guest', async (t) => {
  const cluster = await startVmCluster(t)
  await cluster.client.create(VirtualMachine, vmDraft('vm', { runStrategy: 'Halted' }))
  await cluster.vmIs('vm', 'Stopped')
  assert.equal((await cluster.call('virtualmachines', 'vm', 'start', { paused: true })).status, 202)
  const vm = await cluster.vmIs('vm', 'Paused')
  assert.equal(vm.spec.runStrategy, 'Always')
  assert.equal((await cluster.instance('vm')).spec.startStrategy, 'Paused')
})

test('subresources: restart replaces the instance, and a second request is refused meanwhile', async (t) => {
  const cluster = await startVmCluster(t)
  const before = await runningVm(cluster, 'vm', { annotations: { [PLAY_SHUTDOWN]: '1m' } })
  assert.equal((await cluster.call('virtualmachines', 'vm', 'restart')).status, 202)
  const again = await cluster.call('virtualmachines', 'vm', 'restart')
  assert.equal(again.status, 500)
  assert.match(JSON.parse(again.body).message, /unable to complete request: stop\/start already underway/)
  await cluster.vmIs('vm', 'Stopping')
  const after = await cluster.until(
    VirtualMachineInstance,
    'vm',
    'another instance runs',
    ({ metadata, status }) => metadata.uid !== before.metadata.uid && status?.phase === 'Running',
    500,
  )
  assert.equal(after.spec.domain.firmware?.uuid, before.spec.domain.firmware?.uuid)
  await cluster.until(
    VirtualMachine,
    'vm',
    'no request is left',
    ({ status }) => status?.stateChangeRequests === undefined,
  )
})

test('subresources: a forced restart and a shorter grace period kill a guest that does not shut down', async (t) => {
  const cluster = await startVmCluster(t)
  const before = await runningVm(cluster, 'vm', { annotations: { [PLAY_SHUTDOWN]: 'never' } })
  assert.equal((await cluster.call('virtualmachines', 'vm', 'restart', { gracePeriodSeconds: 0 })).status, 202)
  const started = cluster.clock.now().getTime()
  await cluster.until(
    VirtualMachineInstance,
    'vm',
    'another instance runs',
    ({ metadata, status }) => metadata.uid !== before.metadata.uid && status?.phase === 'Running',
  )
  assert.ok(cluster.clock.now().getTime() - started < 20_000)

  assert.equal((await cluster.call('virtualmachines', 'vm', 'stop')).status, 202)
  await cluster.vmIs('vm', 'Stopping')
  const longer = await cluster.call('virtualmachines', 'vm', 'stop', { gracePeriod: 60 })
  assert.equal(longer.status, 409)
  assert.equal((await cluster.call('virtualmachines', 'vm', 'stop', { gracePeriod: 0 })).status, 202)
  await cluster.vmIs('vm', 'Stopped', 0)
})

test('subresources: Manual starts and stops on request only', async (t) => {
  const cluster = await startVmCluster(t)
  await cluster.client.create(VirtualMachine, vmDraft('vm', { runStrategy: 'Manual' }))
  await cluster.vmIs('vm', 'Stopped')
  assert.equal((await cluster.call('virtualmachines', 'vm', 'start', {}, { version: 'v1alpha3' })).status, 202)
  await cluster.vmIs('vm', 'Running')
  assert.equal((await cluster.call('virtualmachines', 'vm', 'stop')).status, 202)
  const vm = await cluster.vmIs('vm', 'Stopped')
  assert.equal(vm.spec.runStrategy, 'Manual')
})

test('subresources: freeze, guest information and hotplugged volumes', async (t) => {
  const cluster = await startVmCluster(t)
  await runningVm(cluster, 'vm')
  const isConnected = ({ status }: VirtualMachineInstance) => isConditionTrue(status?.conditions, 'AgentConnected')
  await cluster.until(VirtualMachineInstance, 'vm', 'the agent is connected', isConnected)
  assert.equal((await cluster.call('virtualmachineinstances', 'vm', 'freeze', { unfreezeTimeout: '1m' })).status, 200)
  const isFrozen = ({ status }: VirtualMachineInstance) => status?.fsFreezeStatus === 'frozen'
  await cluster.until(VirtualMachineInstance, 'vm', 'it is frozen', isFrozen)
  await cluster.until(VirtualMachineInstance, 'vm', 'it is no longer frozen', (one) => !isFrozen(one), 500)
  const info = await cluster.call('virtualmachineinstances', 'vm', 'guestosinfo', undefined, { method: 'GET' })
  assert.equal(JSON.parse(info.body).hostname, 'vm')
  for (const list of ['userlist', 'filesystemlist']) {
    const { body } = await cluster.call('virtualmachineinstances', 'vm', list, undefined, { method: 'GET' })
    assert.deepEqual(JSON.parse(body).items, [])
  }

  const added = { name: 'data', disk: { disk: { bus: 'scsi' } }, volumeSource: { dataVolume: { name: 'data' } } }
  assert.equal((await cluster.call('virtualmachines', 'vm', 'addvolume', added)).status, 202)
  assert.equal((await cluster.call('virtualmachines', 'vm', 'addvolume', added)).status, 409)
  const plugged = await cluster.until(VirtualMachineInstance, 'vm', 'the volume is there', ({ status }) =>
    Boolean(status?.volumeStatus?.some(({ name }) => name === 'data')),
  )
  assert.equal(plugged.spec.volumes?.[1]?.dataVolume?.hotpluggable, true)
  const vm = await cluster.client.get(VirtualMachine, refOf('vm'))
  assert.equal(findCondition(vm.status?.conditions, 'RestartRequired'), undefined)
  assert.equal((await cluster.call('virtualmachines', 'vm', 'removevolume', { name: 'root' })).status, 409)
  assert.equal((await cluster.call('virtualmachines', 'vm', 'removevolume', { name: 'data' })).status, 202)
  assert.equal((await cluster.instance('vm')).spec.volumes?.length, 1)
})

test('subresources: refuse what a played machine does not have, and bad requests', async (t) => {
  const cluster = await startVmCluster(t)
  await runningVm(cluster, 'vm')
  const get = { method: 'GET' }
  const cases: [Parameters<VmCluster['call']>, number, RegExp][] = [
    [['virtualmachineinstances', 'vm', 'console', undefined, get], 400, /no guest runs/],
    [['virtualmachineinstances', 'vm', 'vnc', undefined, get], 400, /no guest runs/],
    [['virtualmachineinstances', 'vm', 'portforward/22', undefined, get], 400, /does not forward ports/],
    [['virtualmachines', 'vm', 'migrate'], 409, /Cannot migrate VMI, Reason: NotMigratable/],
    [['virtualmachines', 'vm', 'memorydump', { claimName: 'a' }], 400, /does not dump the memory/],
    [['virtualmachines', 'none', 'start'], 404, /^virtualmachine\.kubevirt\.io "none" not found$/],
    [['virtualmachineinstances', 'none', 'pause'], 404, /^virtualmachineinstance\.kubevirt\.io "none" not found$/],
    [['virtualmachines', 'vm', 'stop', { gracePeriod: -1 }], 400, /gracePeriod has to be greater or equal to 0/],
    [['virtualmachines', 'vm', 'stop', { dryRun: ['Some'] }], 400, /dryRun "Some" is not supported/],
    [['virtualmachines', 'vm', 'start', ['paused']], 400, /Can not unmarshal Request body/],
    [['virtualmachines', 'vm', 'addvolume', {}], 400, /requires name/],
    [['virtualmachines', 'vm', 'start', undefined, get], 405, /./],
    [['virtualmachines', 'vm', 'explode'], 404, /./],
  ]
  for (const [call, status, message] of cases) {
    const reply = await cluster.call(...call)
    assert.equal(reply.status, status, `${call[2]}: ${reply.body}`)
    assert.match(JSON.parse(reply.body).message, message)
  }
  assert.equal((await cluster.call('virtualmachines', 'vm', 'stop', { dryRun: ['All'] })).status, 202)
  assert.equal((await cluster.client.get(VirtualMachine, refOf('vm'))).spec.runStrategy, 'Always')
})

test('VirtualMachine: a changed template needs a restart', async (t) => {
  const cluster = await startVmCluster(t)
  await runningVm(cluster, 'vm')
  const patch = { spec: { template: { spec: { domain: { cpu: { cores: 4 } } } } } }
  await cluster.client.patch(VirtualMachine, refOf('vm'), patch)
  const changed = await cluster.until(VirtualMachine, 'vm', 'it needs a restart', ({ status }) =>
    isConditionTrue(status?.conditions, 'RestartRequired'),
  )
  assert.deepEqual([changed.status?.observedGeneration, changed.status?.desiredGeneration], [1, 2])
  await cluster.call('virtualmachines', 'vm', 'restart')
  const restarted = await cluster.until(
    VirtualMachine,
    'vm',
    'it runs the new template',
    ({ status }) => status?.printableStatus === 'Running' && status.observedGeneration === 2,
  )
  assert.equal(findCondition(restarted.status?.conditions, 'RestartRequired'), undefined)
  assert.equal((await cluster.instance('vm')).spec.domain.cpu?.cores, 4)
})

test('VirtualMachine: machines resume when the node starts again', async (t) => {
  const cluster = await startVmCluster(t)
  const before = await runningVm(cluster, 'vm')
  await cluster.call('virtualmachineinstances', 'vm', 'pause')
  await cluster.vmIs('vm', 'Paused')
  await cluster.restart()
  assert.equal((await cluster.call('virtualmachineinstances', 'vm', 'unpause')).status, 200)
  await cluster.vmIs('vm', 'Running')
  assert.equal((await cluster.instance('vm')).metadata.uid, before.metadata.uid)
})
