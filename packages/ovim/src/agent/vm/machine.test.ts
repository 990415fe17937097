import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TemplateRecord, VmCreateRequest } from '../../wire/index.js'
import type { OperationError } from '../execution/operation-error.js'
import { buildVirtualMachine, cloudInitData, coresOf } from './build.js'
import type { VirtualMachine } from './kinds.js'
import { vmState, vmStatus } from './status.js'

const TEMPLATE: TemplateRecord = {
  name: 'ubuntu',
  cpu: '2',
  memory: '4Gi',
  image: { container_disk: 'quay.io/ubuntu' },
}
const REQUEST: VmCreateRequest = { name: 'web', namespace: 'vdc-acme-dev', template_name: 'ubuntu' }

// biome-ignore lint/suspicious/noExplicitAny: the spec of a virtual machine is read by path.
const specOf = (request: Partial<VmCreateRequest>, template: Partial<TemplateRecord> = {}): any =>
  buildVirtualMachine({ ...REQUEST, ...request }, { ...TEMPLATE, ...template }, 'op-1').spec

test('virtual machine: has labels to find it and the operation that created it', () => {
  const { metadata, spec } = buildVirtualMachine({ ...REQUEST, labels: { tier: 'gold' } }, TEMPLATE, 'op-1')
  const labels = { tier: 'gold', 'app.kubernetes.io/managed-by': 'ovim', 'ovim.io/vm-name': 'web' }
  assert.deepEqual(metadata.labels, labels)
  assert.deepEqual(spec.template.metadata?.labels, labels)
  assert.equal(metadata.annotations?.['ovim.io/create-operation'], 'op-1')
  assert.equal(metadata.annotations?.['ovim.io/template'], 'ubuntu')
})

test('virtual machine: its size is the requested one, else the one of the template', () => {
  const { domain } = specOf({ cpu: '1500m' }).template.spec
  assert.deepEqual(domain.cpu, { cores: 2 })
  assert.deepEqual(domain.memory, { guest: '4Gi' })
  assert.deepEqual(domain.resources, { requests: { cpu: '1500m', memory: '4Gi' } })
  assert.deepEqual(['1', '2', '250m', '2500m'].map(coresOf), [1, 2, 1, 3])
})

test('virtual machine: Running is Always; Stopped and Paused are created halted', () => {
  const strategies = (['Running', 'Stopped', 'Paused'] as const).map(
    (power_state) => specOf({ power_state }).runStrategy,
  )
  assert.deepEqual(strategies, ['Always', 'Halted', 'Halted'])
})

test('virtual machine: a container disk without storage is ephemeral, with storage it is imported', () => {
  const [disk] = specOf({}).template.spec.volumes
  assert.deepEqual(disk, { name: 'disk0', containerDisk: { image: 'quay.io/ubuntu' } })
  const spec = specOf({ storage: '20Gi' }, { requirements: { storage_class: 'fast' } })
  assert.deepEqual(spec.template.spec.volumes[0], { name: 'disk0', dataVolume: { name: 'web-disk0' } })
  assert.deepEqual(spec.dataVolumeTemplates, [
    {
      metadata: { name: 'web-disk0' },
      spec: {
        source: { registry: { url: 'docker://quay.io/ubuntu' } },
        storage: { resources: { requests: { storage: '20Gi' } }, storageClassName: 'fast' },
      },
    },
  ])
})

test('virtual machine: disks come from http, a registry or a claim, and need a size', () => {
  const source = (image: TemplateRecord['image']) =>
    specOf({ storage: '1Gi' }, { image }).dataVolumeTemplates[0].spec.source
  assert.deepEqual(source({ http: 'https://x/y.img' }), { http: { url: 'https://x/y.img' } })
  assert.deepEqual(source({ registry: 'docker://r/i' }), { registry: { url: 'docker://r/i' } })
  assert.deepEqual(source({ pvc: { namespace: 'golden', name: 'u' } }), { pvc: { namespace: 'golden', name: 'u' } })
  assert.throws(
    () => specOf({}, { image: { http: 'https://x' } }),
    (error: OperationError) => error.reason === 'InvalidPayload' && /payload.storage: Required/.test(error.message),
  )
})

test('virtual machine: networks are the requested one, those of the template, or the pod network', () => {
  const networks = (request: Partial<VmCreateRequest>, template: Partial<TemplateRecord> = {}) => {
    const { networks, domain } = specOf(request, template).template.spec
    return [networks, domain.devices.interfaces]
  }
  assert.deepEqual(networks({}), [[{ name: 'default', pod: {} }], [{ name: 'default', masquerade: {} }]])
  assert.deepEqual(networks({ network_name: 'vlan7' }), [
    [{ name: 'net0', multus: { networkName: 'vlan7' } }],
    [{ name: 'net0', bridge: {} }],
  ])
  const template = { networks: [{ name: 'a' }, { name: 'b', network_name: 'infra/storage' }] }
  assert.deepEqual(networks({}, template), [
    [
      { name: 'a', pod: {} },
      { name: 'b', multus: { networkName: 'infra/storage' } },
    ],
    [
      { name: 'a', masquerade: {} },
      { name: 'b', bridge: {} },
    ],
  ])
})

test('virtual machine: cloud-init is in a Secret, with the keys next to the user data', () => {
  const request = { ...REQUEST, ssh_keys: ['ssh-ed25519 AAAA me'], cloud_init: { user_data: '#!/bin/sh\ntrue' } }
  const data = cloudInitData(request, TEMPLATE)
  assert.match(data?.userdata ?? '', /multipart\/mixed/)
  assert.match(data?.userdata ?? '', /ssh_authorized_keys:\n {2}- "ssh-ed25519 AAAA me"/)
  assert.match(data?.userdata ?? '', /x-shellscript(.|\n)*#!\/bin\/sh\ntrue/)
  const volumes = specOf(request).template.spec.volumes
  assert.deepEqual(volumes[1], { name: 'cloudinit', cloudInitNoCloud: { secretRef: { name: 'web-cloud-init' } } })
  assert.equal(cloudInitData(REQUEST, TEMPLATE), undefined)
  assert.equal(JSON.stringify(specOf(request)).includes('AAAA'), false)
})

test('virtual machine: runs on nodes that the template asks for', () => {
  const requirements = { architecture: 'arm64', node_labels: { gpu: 'yes' } }
  const { nodeSelector } = specOf({}, { requirements }).template.spec
  assert.deepEqual(nodeSelector, { gpu: 'yes', 'kubernetes.io/arch': 'arm64' })
})

function machine(printableStatus?: string, more: object = {}): VirtualMachine {
  const draft = buildVirtualMachine(REQUEST, TEMPLATE, 'op-1')
  const stored = {
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2030-01-01T00:00:00Z',
    namespace: 'n',
    name: 'web',
  }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { ...draft.metadata, ...stored, ...more } as VirtualMachine['metadata'],
    spec: draft.spec,
    ...(printableStatus !== undefined && { status: { printableStatus } }),
  }
}

test('virtual machine: every printable status of KubeVirt has a state', () => {
  const states = Object.fromEntries(
    [
      ...['Stopped', 'Provisioning', 'Starting', 'Running', 'Paused', 'Stopping', 'Terminating', 'CrashLoopBackOff'],
      ...['Migrating', 'Unknown', 'ErrorUnschedulable', 'ErrImagePull', 'ImagePullBackOff', 'ErrorPvcNotFound'],
      ...['DataVolumeError', 'WaitingForVolumeBinding', 'WaitingForReceiver', 'SomethingNew'],
    ].map((status) => [status, vmState(machine(status))]),
  )
  assert.deepEqual(states, {
    Stopped: 'stopped',
    Provisioning: 'provisioning',
    Starting: 'provisioning',
    Running: 'running',
    Paused: 'paused',
    Stopping: 'stopping',
    Terminating: 'deleting',
    CrashLoopBackOff: 'error',
    Migrating: 'running',
    Unknown: 'unknown',
    ErrorUnschedulable: 'error',
    ErrImagePull: 'error',
    ImagePullBackOff: 'error',
    ErrorPvcNotFound: 'error',
    DataVolumeError: 'error',
    WaitingForVolumeBinding: 'provisioning',
    WaitingForReceiver: 'provisioning',
    SomethingNew: 'unknown',
  })
  assert.equal(vmState(machine()), 'pending')
  assert.equal(vmState(machine('Running', { deletionTimestamp: '2030-01-01T00:00:00Z' })), 'deleting')
})

test('virtual machine: its status has the first address, the node, and why it does not run', () => {
  const vm = machine('ErrorUnschedulable')
  const conditions = [{ type: 'Ready', status: 'False', reason: 'x', message: 'no node has enough memory' }]
  const instance = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { ...vm.metadata, uid: 'i' },
    status: { phase: 'Scheduling', nodeName: 'n1', interfaces: [{}, { ipAddress: '10.0.0.2' }], conditions },
  }
  const status = vmStatus(vm, instance, '2030-01-01T00:00:01Z')
  assert.deepEqual(
    [status.status, status.phase, status.node_name, status.ip_address, status.message, status.instance_uid],
    ['error', 'Scheduling', 'n1', '10.0.0.2', 'no node has enough memory', 'i'],
  )
  assert.deepEqual([status.cpu, status.memory, status.operation_id], ['2', '4Gi', 'op-1'])
})
