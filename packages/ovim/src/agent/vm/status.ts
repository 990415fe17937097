import type { VmState, VmStatus } from '../../wire/index.js'
import { VM_ANNOTATIONS } from '../names.js'
import type { KubeVirtCondition, VirtualMachine, VirtualMachineInstance } from './kinds.js'

/** KubeVirt's printable statuses in the words of OVIM. */
const STATES: Readonly<Record<string, VmState>> = {
  Stopped: 'stopped',
  Provisioning: 'provisioning',
  Starting: 'provisioning',
  WaitingForVolumeBinding: 'provisioning',
  WaitingForReceiver: 'provisioning',
  Running: 'running',
  Migrating: 'running',
  Paused: 'paused',
  Stopping: 'stopping',
  Terminating: 'deleting',
  CrashLoopBackOff: 'error',
  ErrorUnschedulable: 'error',
  ErrImagePull: 'error',
  ImagePullBackOff: 'error',
  ErrorPvcNotFound: 'error',
  DataVolumeError: 'error',
  Unknown: 'unknown',
}

/** The state of a machine. KubeVirt sets `printableStatus` soon after the creation: until then it is pending. */
export function vmState(vm: VirtualMachine): VmState {
  if (vm.metadata.deletionTimestamp !== undefined) return 'deleting'
  const printable = vm.status?.printableStatus ?? ''
  return printable === '' ? 'pending' : (STATES[printable] ?? 'unknown')
}

export function vmStatus(vm: VirtualMachine, instance: VirtualMachineInstance | undefined, now: string): VmStatus {
  const { metadata, spec, status } = vm
  const { domain } = spec.template.spec
  const state = vmState(vm)
  const conditions = [...(status?.conditions ?? []), ...(instance?.status?.conditions ?? [])]
  const members = {
    node_name: instance?.status?.nodeName,
    ip_address: instance?.status?.interfaces?.find(({ ipAddress }) => (ipAddress ?? '') !== '')?.ipAddress,
    cpu: domain.resources?.requests?.cpu ?? cores(domain.cpu),
    memory: domain.memory?.guest ?? domain.resources?.requests?.memory,
    storage: spec.dataVolumeTemplates?.[0]?.spec?.storage?.resources?.requests?.storage,
    labels: metadata.labels as Record<string, string> | undefined,
    uid: metadata.uid,
    instance_uid: instance?.metadata.uid,
    printable_status: status?.printableStatus,
    message: messageOf(state, conditions),
    operation_id: metadata.annotations?.[VM_ANNOTATIONS.lastOperation],
  }
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    status: state,
    phase: instance?.status?.phase ?? '',
    created_at: metadata.creationTimestamp,
    updated_at: now,
    ...Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)),
  }
}

function cores(cpu: { cores?: number; sockets?: number; threads?: number } | undefined): string | undefined {
  if (cpu === undefined) return undefined
  return String((cpu.cores ?? 1) * (cpu.sockets ?? 1) * (cpu.threads ?? 1))
}

/** Why a machine does not run: the first condition that says so. */
function messageOf(state: VmState, conditions: readonly KubeVirtCondition[]): string | undefined {
  if (state === 'running' || state === 'stopped' || state === 'paused') {
    return conditions.find(({ type, status }) => type === 'RestartRequired' && status === 'True')?.message
  }
  const failure = conditions.find(({ type, status }) => type === 'Failure' && status === 'True')
  const notReady = conditions.find(({ status, message }) => status === 'False' && (message ?? '') !== '')
  return (failure ?? notReady)?.message
}
