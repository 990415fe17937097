import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '@orrery/kinds'
import type { StatusError } from '@orrery/kinds/values'
import { DataVolume, type NewVirtualMachine, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { namespace, refOf, startVmCluster, type VmCluster, vmDraft } from './vm-cluster.js'

const RBAC = { apiGroup: 'rbac.authorization.k8s.io' }

/** Lets a user do what a cluster role allows, in the namespace. */
async function bind({ client }: VmCluster, user: string, role: string): Promise<void> {
  await client.create(RoleBinding, {
    metadata: { namespace, name: user },
    roleRef: { ...RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ ...RBAC, kind: 'User', name: user }],
  })
}

async function refusal(write: Promise<unknown>): Promise<[number, string]> {
  const error = await write.then(
    () => assert.fail('it was accepted'),
    (thrown: StatusError) => thrown,
  )
  return [error.code, error.message]
}

test('admission: a VirtualMachine has exactly one of running and runStrategy', async (t) => {
  const cluster = await startVmCluster(t)
  const warnings: string[] = []
  const client = cluster.clientOf('admin', ['system:masters'], (warning) => warnings.push(warning))
  const { runStrategy: _, ...spec } = vmDraft('vm').spec
  const draft = (more: Partial<NewVirtualMachine['spec']>): NewVirtualMachine => ({
    ...vmDraft('vm'),
    spec: { ...spec, ...more },
  })
  const denied = 'admission webhook "virtualmachine-validator.kubevirt.io" denied the request:'
  const cases: [Partial<NewVirtualMachine['spec']>, string][] = [
    [{}, `${denied} spec.runStrategy must be one of Always, Halted, Manual, RerunOnFailure, Once`],
    [
      { running: true, runStrategy: 'Always' },
      `${denied} spec.running and spec.runStrategy are mutually exclusive: remove spec.running, which is deprecated`,
    ],
    [
      { runStrategy: 'Sometimes' },
      `${denied} spec.runStrategy "Sometimes" is not supported: use Always, Halted, Manual, RerunOnFailure, Once`,
    ],
    [
      { runStrategy: 'Halted', instancetype: { name: 'small' } },
      `${denied} spec.instancetype is not supported by this cluster: set the CPU and memory in spec.template.spec.domain`,
    ],
    [
      { runStrategy: 'Halted', dataVolumeTemplates: [{ metadata: { name: 'a' }, spec: { source: { blank: {} } } }] },
      `${denied} spec.dataVolumeTemplates[0] "a" is not used by a volume in spec.template.spec.volumes, spec.dataVolumeTemplates[0].spec must have exactly one of storage and pvc`,
    ],
  ]
  for (const [more, message] of cases) {
    assert.deepEqual(await refusal(client.create(VirtualMachine, draft(more))), [422, message])
  }
  assert.deepEqual(warnings, [])
  await client.create(VirtualMachine, draft({ running: false }))
  assert.deepEqual(warnings, ['spec.running is deprecated, please use spec.runStrategy instead.'])
  await cluster.vmIs('vm', 'Stopped')
  await cluster.call('virtualmachines', 'vm', 'start')
  await cluster.vmIs('vm', 'Running')
  assert.equal((await client.get(VirtualMachine, refOf('vm'))).spec.running, true)
})

test('admission: unknown fields are reported', async (t) => {
  const { client } = await startVmCluster(t)
  const draft = vmDraft('vm')
  const spec = { ...draft.spec, template: { spec: { ...draft.spec.template.spec, volume: [] } } }
  const misspelled = client.create(VirtualMachine, { ...draft, spec }, { fieldValidation: 'Strict' })
  assert.match((await refusal(misspelled))[1], /unknown field "spec\.template\.spec\.volume"/)
})

test('admission: only KubeVirt changes the spec and status of an instance', async (t) => {
  const cluster = await startVmCluster(t)
  await cluster.client.create(VirtualMachine, vmDraft('vm'))
  await cluster.vmIs('vm', 'Running')
  const user = cluster.clientOf('admin', ['system:masters'])
  const [code, message] = await refusal(
    user.patch(VirtualMachineInstance, refOf('vm'), { spec: { terminationGracePeriodSeconds: 1 } }),
  )
  assert.equal(code, 422)
  assert.match(message, /the spec of a VirtualMachineInstance cannot change/)
  const labels = { 'kubevirt.io/nodeName': 'elsewhere' }
  assert.equal((await refusal(user.patch(VirtualMachineInstance, refOf('vm'), { metadata: { labels } })))[0], 422)
  const patched = await user.patch(VirtualMachineInstance, refOf('vm'), {
    metadata: { labels: { mine: 'yes' } },
    status: { phase: 'Failed' },
  })
  assert.deepEqual([patched.status?.phase, patched.metadata.labels?.mine], ['Running', 'yes'])
})

test('admission: the spec of a DataVolume cannot change', async (t) => {
  const { client } = await startVmCluster(t)
  const storage = { resources: { requests: { storage: '1Gi' } } }
  await client.create(DataVolume, { metadata: { namespace, name: 'a' }, spec: { source: { blank: {} }, storage } })
  const change = client.patch(DataVolume, refOf('a'), { spec: { contentType: 'archive' } })
  assert.match((await refusal(change))[1], /the spec of a DataVolume cannot change/)
})

test('admission: a clone from another namespace needs access to its source', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  await client.create(Namespace, { metadata: { name: 'images' } })
  await bind(cluster, 'jane', 'edit')
  const jane = cluster.clientOf('jane')
  const storage = { resources: { requests: { storage: '1Gi' } } }
  const source = { pvc: { namespace: 'images', name: 'fedora' } }
  const clone = (name: string) => ({ metadata: { namespace, name }, spec: { source, storage } })
  await cluster.eventually('the role is aggregated', async () => {
    const { rules = [] } = await client.get(ClusterRole, { name: 'edit' })
    return rules.some(({ resources = [] }) => resources.includes('datavolumes/source'))
  })
  assert.deepEqual(await refusal(jane.create(DataVolume, clone('a'))), [
    403,
    'datavolumes.cdi.kubevirt.io "a" is forbidden: user "jane" cannot clone claims of namespace "images"',
  ])
  const vm = vmDraft('vm', {
    spec: { volumes: [{ name: 'root', dataVolume: { name: 'b' } }] },
    dataVolumeTemplates: [{ metadata: { name: 'b' }, spec: { source, storage } }],
  })
  assert.equal((await refusal(jane.create(VirtualMachine, vm)))[0], 403)
  await client.create(RoleBinding, {
    metadata: { namespace: 'images', name: 'cloners' },
    roleRef: { ...RBAC, kind: 'ClusterRole', name: 'edit' },
    subjects: [{ ...RBAC, kind: 'User', name: 'jane' }],
  })
  await jane.create(DataVolume, clone('a'))
})

test('access: subresources need update on virtualmachines/start, and roles for namespaces have it', async (t) => {
  const cluster = await startVmCluster(t)
  const { client } = cluster
  await client.create(VirtualMachine, vmDraft('vm', { runStrategy: 'Halted' }))
  await cluster.vmIs('vm', 'Stopped')
  const starter = { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/start'], verbs: ['update'] }
  await client.create(ClusterRole, { metadata: { name: 'starter' }, rules: [starter] })
  await client.create(ClusterRoleBinding, {
    metadata: { name: 'starter' },
    roleRef: { ...RBAC, kind: 'ClusterRole', name: 'starter' },
    subjects: [{ ...RBAC, kind: 'User', name: 'starter' }],
  })
  await bind(cluster, 'viewer', 'view')
  await bind(cluster, 'editor', 'edit')
  const call = (user: string, action: string) =>
    cluster.call('virtualmachines', 'vm', action, undefined, { client: cluster.clientOf(user) })
  assert.equal((await call('stranger', 'start')).status, 403)
  assert.equal((await call('viewer', 'start')).status, 403)
  assert.equal((await call('starter', 'stop')).status, 403)
  assert.equal((await call('starter', 'start')).status, 202)
  await cluster.vmIs('vm', 'Running')
  assert.equal((await cluster.clientOf('viewer').list(VirtualMachine, { namespace })).items.length, 1)
  assert.equal((await call('editor', 'stop')).status, 202)
  await cluster.vmIs('vm', 'Stopped')
})
