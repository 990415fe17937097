import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pod, ResourceQuota } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { PLAY_DURATION, PLAY_EXIT, PLAY_PULL } from '@orrery/node'
import { PLAY_BOOT, PLAY_SHUTDOWN, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { namespace, refOf, startVmCluster, vmDraft } from './vm-cluster.js'

test('VirtualMachine: backs off when its guest does not start', async (t) => {
  const cluster = await startVmCluster(t)
  await cluster.client.create(VirtualMachine, vmDraft('vm', { annotations: { [PLAY_BOOT]: 'fail' } }))
  const first = await cluster.vmIs('vm', 'CrashLoopBackOff')
  assert.equal(first.status?.startFailure?.consecutiveFailCount, 1)
  const second = await cluster.until(
    VirtualMachine,
    'vm',
    'it fails again',
    ({ status }) => (status?.startFailure?.consecutiveFailCount ?? 0) >= 2,
    200,
  )
  assert.notEqual(second.status?.startFailure?.lastFailedVMIUID, first.status?.startFailure?.lastFailedVMIUID)
  const annotations = { [PLAY_BOOT]: null }
  await cluster.client.patch(VirtualMachine, refOf('vm'), { spec: { template: { metadata: { annotations } } } })
  const running = await cluster.vmIs('vm', 'Running', 500)
  assert.equal(running.status?.startFailure, undefined)
})

test('VirtualMachine: run strategies decide what follows a guest that ends', async (t) => {
  const cluster = await startVmCluster(t)
  const crash = { annotations: { [PLAY_DURATION]: '30s', [PLAY_EXIT]: '1' } }
  const shutdown = { annotations: { [PLAY_DURATION]: '30s' } }
  await cluster.client.create(VirtualMachine, vmDraft('once', { runStrategy: 'Once', ...crash }))
  await cluster.client.create(VirtualMachine, vmDraft('rerun', { runStrategy: 'RerunOnFailure', ...crash }))
  await cluster.client.create(VirtualMachine, vmDraft('done', { runStrategy: 'RerunOnFailure', ...shutdown }))
  await cluster.client.create(VirtualMachine, vmDraft('always', shutdown))
  const started = new Map<string, string>()
  for (const name of ['once', 'rerun', 'done', 'always']) {
    await cluster.vmIs(name, 'Running')
    started.set(name, (await cluster.instance(name)).metadata.uid)
  }
  const isEnded = (phase: string) => (instance: VirtualMachineInstance) => instance.status?.phase === phase
  await cluster.until(VirtualMachineInstance, 'once', 'it has failed', isEnded('Failed'), 500)
  assert.equal((await cluster.vmIs('once', 'Stopped')).status?.created, true)
  for (const name of ['rerun', 'always']) {
    const isAnother = ({ metadata }: VirtualMachineInstance) => metadata.uid !== started.get(name)
    await cluster.until(VirtualMachineInstance, name, 'another instance starts', isAnother, 200)
  }
  await cluster.gone(VirtualMachineInstance, 'done', 200)
  await cluster.vmIs('done', 'Stopped')
  // The pod of an instance that is kept has ended too.
  const ended = await cluster.client.list(Pod, { namespace, labelSelector: 'vm.kubevirt.io/name=once' })
  assert.deepEqual(
    ended.items.map(({ status }) => status?.phase),
    ['Failed'],
  )
})

test('VirtualMachineInstance: is killed after its grace period if it does not shut down', async (t) => {
  const cluster = await startVmCluster(t)
  await cluster.client.create(VirtualMachine, vmDraft('vm', { annotations: { [PLAY_SHUTDOWN]: 'never' } }))
  await cluster.vmIs('vm', 'Running')
  const deletedAt = cluster.clock.now().getTime()
  await cluster.client.delete(VirtualMachine, refOf('vm'))
  await cluster.gone(VirtualMachine, 'vm', 100)
  assert.ok(cluster.clock.now().getTime() - deletedAt >= 29_000)
  assert.ok((await cluster.reasons('vm')).includes('Stopped'))
})

test('VirtualMachine: shows why it cannot start', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const domain = { ...vmDraft('vm').spec.template.spec.domain, resources: { requests: { cpu: '10000' } } }
  const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'missing' } }]
  await client.create(VirtualMachine, vmDraft('unpulled', { annotations: { [PLAY_PULL]: 'fail' } }))
  await client.create(VirtualMachine, vmDraft('unschedulable', { spec: { domain } }))
  await client.create(VirtualMachine, vmDraft('unclaimed', { spec: { volumes } }))
  await cluster.vmIs('unpulled', 'ImagePullBackOff')
  await cluster.vmIs('unschedulable', 'ErrorUnschedulable')
  const unclaimed = await cluster.vmIs('unclaimed', 'ErrorPvcNotFound')
  const synchronized = findCondition(unclaimed.status?.conditions, 'Synchronized')
  assert.equal(synchronized?.message, 'persistentvolumeclaim "missing" not found')
  await client.delete(VirtualMachine, refOf('unschedulable'))
  await cluster.gone(VirtualMachine, 'unschedulable')
})

test('VirtualMachineInstance: waits for quota, and its pod counts', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const hard = { 'requests.memory': '2Gi', 'limits.memory': '8Gi' }
  await client.create(ResourceQuota, { metadata: { namespace, name: 'vdc-quota' }, spec: { hard } })
  await client.create(VirtualMachine, vmDraft('first'))
  await cluster.vmIs('first', 'Running')
  await client.create(VirtualMachine, vmDraft('second'))
  const waiting = await cluster.until(VirtualMachineInstance, 'second', 'it exceeds the quota', ({ status }) => {
    const condition = findCondition(status?.conditions, 'Synchronized')
    return condition?.reason === 'FailedCreate' && /exceeded quota: vdc-quota/.test(condition.message ?? '')
  })
  assert.equal(waiting.status?.phase, 'Pending')
  await client.delete(VirtualMachine, refOf('first'))
  await cluster.vmIs('second', 'Running', 200)
})
