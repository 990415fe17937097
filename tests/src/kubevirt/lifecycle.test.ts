import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pod } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { NODE_NAME, namespace, refOf, startVmCluster, vmDraft } from './vm-cluster.js'

test('VirtualMachine: starts an instance with a launcher pod, runs, and is deleted with both', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const created = await client.create(VirtualMachine, vmDraft('vm'))
  assert.equal(created.spec.template.spec.domain.machine?.type, 'q35')
  const vm = await cluster.vmIs('vm', 'Running')
  assert.deepEqual([vm.status?.created, vm.status?.runStrategy], [true, 'Always'])

  const instance = await cluster.until(
    VirtualMachineInstance,
    'vm',
    'the agent is connected',
    ({ status }) => findCondition(status?.conditions, 'AgentConnected')?.status === 'True',
  )
  const { status } = instance
  assert.equal(status?.nodeName, NODE_NAME)
  assert.deepEqual(
    status?.phaseTransitionTimestamps?.map(({ phase }) => phase),
    ['Pending', 'Scheduling', 'Scheduled', 'Running'],
  )
  const [network] = status?.interfaces ?? []
  assert.match(network?.ipAddress ?? '', /^10\.244\./)
  assert.deepEqual([network?.name, network?.infoSource], ['default', 'domain, guest-agent'])
  assert.match(network?.mac ?? '', /^02(:[0-9a-f]{2}){5}$/)
  assert.equal(findCondition(status?.conditions, 'Ready')?.status, 'True')
  assert.equal(findCondition(status?.conditions, 'LiveMigratable')?.status, 'False')
  assert.match(findCondition(status?.conditions, 'orrery.dev/Played')?.message ?? '', /No guest runs/)

  const { items: pods } = await client.list(Pod, {
    namespace,
    labelSelector: `kubevirt.io=virt-launcher,kubevirt.io/created-by=${instance.metadata.uid},vm.kubevirt.io/name=vm`,
  })
  assert.equal(pods.length, 1)
  assert.deepEqual(Object.keys(status?.activePods ?? {}), [pods[0]?.metadata.uid])
  const compute = pods[0]?.spec.containers.find(({ name }) => name === 'compute')
  // 1 GiB, 240 MiB for the launcher, 16 MiB for two vCPUs, 8 MiB, 32 MiB for the display, and 2 MiB for page tables.
  assert.deepEqual(compute?.resources?.requests, { cpu: '200m', memory: '1322Mi' })
  assert.ok((await cluster.reasons('vm')).includes('Played'))

  const settled = await cluster.until(VirtualMachine, 'vm', 'it is ready', (one) => one.status?.ready === true)
  assert.ok(findCondition(settled.status?.conditions, 'orrery.dev/Played'))
  assert.deepEqual([settled.status?.observedGeneration, settled.status?.desiredGeneration], [1, 1])

  await client.delete(VirtualMachine, refOf('vm'))
  await cluster.vmIs('vm', 'Terminating', 0)
  await cluster.gone(VirtualMachine, 'vm')
  await cluster.gone(VirtualMachineInstance, 'vm')
  await cluster.eventually('the pod is gone', async () => (await client.list(Pod, { namespace })).items.length === 0)
})

test('VirtualMachine: shows how it starts and stops', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const seen: string[] = []
  const watching = new AbortController()
  t.after(() => watching.abort())
  const watch = (async () => {
    for await (const { object } of client.watch(VirtualMachine, { namespace, signal: watching.signal })) {
      const status = object.status?.printableStatus ?? ''
      if (status !== '' && seen.at(-1) !== status) seen.push(status)
    }
  })()
  await client.create(VirtualMachine, vmDraft('vm', { runStrategy: 'Halted' }))
  await cluster.vmIs('vm', 'Stopped')
  assert.equal((await cluster.call('virtualmachines', 'vm', 'start')).status, 202)
  await cluster.vmIs('vm', 'Running')
  assert.equal((await client.get(VirtualMachine, refOf('vm'))).spec.runStrategy, 'Always')
  assert.equal((await cluster.call('virtualmachines', 'vm', 'stop')).status, 202)
  await cluster.vmIs('vm', 'Stopped')
  await cluster.gone(VirtualMachineInstance, 'vm')
  watching.abort()
  await watch.catch(() => undefined)
  assert.deepEqual(seen, ['Stopped', 'Starting', 'Running', 'Stopping', 'Stopped'])
})

test('VirtualMachineInstance: runs without a VirtualMachine, and is gone when it is deleted', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const { spec } = vmDraft('vm').spec.template
  await client.create(VirtualMachineInstance, { metadata: { namespace, name: 'alone' }, spec })
  const isRunning = ({ status }: VirtualMachineInstance) => status?.phase === 'Running'
  const instance = await cluster.until(VirtualMachineInstance, 'alone', 'it runs', isRunning)
  assert.deepEqual(instance.metadata.finalizers, ['foregroundDeleteVirtualMachine'])
  const old = await client.getJson<{ apiVersion: string; status: { phase: string } }>(
    `/apis/kubevirt.io/v1alpha3/namespaces/${namespace}/virtualmachineinstances/alone`,
  )
  assert.deepEqual([old.apiVersion, old.status.phase], ['kubevirt.io/v1alpha3', 'Running'])
  await client.delete(VirtualMachineInstance, refOf('alone'))
  await cluster.gone(VirtualMachineInstance, 'alone')
})

test('VirtualMachine: adopts an instance of its name, and leaves it when it is deleted as an orphan', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  const draft = vmDraft('vm')
  await client.create(VirtualMachineInstance, { metadata: { namespace, name: 'vm' }, spec: draft.spec.template.spec })
  const vm = await client.create(VirtualMachine, draft)
  await cluster.vmIs('vm', 'Running')
  const { uid, ownerReferences } = (await cluster.instance('vm')).metadata
  assert.equal(ownerReferences?.[0]?.uid, vm.metadata.uid)
  await client.delete(VirtualMachine, refOf('vm'), { propagationPolicy: 'Orphan' })
  await cluster.gone(VirtualMachine, 'vm')
  const left = await cluster.instance('vm')
  assert.deepEqual([left.metadata.uid, left.metadata.ownerReferences, left.status?.phase], [uid, undefined, 'Running'])
  await client.delete(VirtualMachineInstance, refOf('vm'))
  await cluster.gone(VirtualMachineInstance, 'vm')
})

test('VirtualMachine: starts again when its pod is deleted', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  await client.create(VirtualMachine, vmDraft('vm'))
  await cluster.vmIs('vm', 'Running')
  const before = await cluster.instance('vm')
  const [pod] = (await client.list(Pod, { namespace })).items
  assert.ok(pod)
  await client.delete(Pod, pod.metadata)
  await cluster.until(
    VirtualMachineInstance,
    'vm',
    'another instance runs',
    ({ metadata, status }) => metadata.uid !== before.metadata.uid && status?.phase === 'Running',
  )
})
