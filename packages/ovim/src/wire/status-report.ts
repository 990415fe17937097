import { Fields, present, readMessage } from './fields.js'
import { type AgentHealth, REPORTED_STATUSES, type ReportedStatus, readAgentHealth } from './health.js'
import {
  type ClusterMetrics,
  type ResourceMetrics,
  readClusterMetrics,
  readResourceMetrics,
} from './resource-metrics.js'

/** The states of an agent. */
export const AGENT_STATES = ['Connecting', 'Healthy', 'Degraded', 'Unhealthy', 'Disconnected'] as const

export type AgentState = (typeof AGENT_STATES)[number]

/** The states of a virtual machine in OVIM. */
export const VM_STATUSES = [
  'pending',
  'provisioning',
  'running',
  'paused',
  'stopping',
  'stopped',
  'deleting',
  'error',
  'unknown',
] as const

export type VmState = (typeof VM_STATUSES)[number]

/** The phases of a virtual data center. */
export const VDC_PHASES = ['Pending', 'Active', 'Failed', 'Suspended', 'DeletionPending', 'DeletionFailed'] as const

export type VdcPhase = (typeof VDC_PHASES)[number]

export interface VmStatus {
  readonly name: string
  readonly namespace: string
  /** One of `VM_STATUSES`. Agents of others may send further ones. */
  readonly status: string
  /** The phase of the VirtualMachineInstance; empty if there is none. */
  readonly phase: string
  readonly node_name?: string
  readonly ip_address?: string
  readonly cpu?: string
  readonly memory?: string
  readonly storage?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly created_at: string
  readonly updated_at: string
  /** The uid of the VirtualMachine on the cluster. */
  readonly uid?: string
  /** The uid of the VirtualMachineInstance: another one after each restart. */
  readonly instance_uid?: string
  /** KubeVirt's `status.printableStatus`. */
  readonly printable_status?: string
  /** Why the machine is in this state, if KubeVirt reports a reason. */
  readonly message?: string
  /** The last operation that was executed for the machine. */
  readonly operation_id?: string
}

export interface VdcStatus {
  readonly name: string
  readonly namespace: string
  /** One of `VDC_PHASES`. Agents of others may send further ones. */
  readonly status: string
  readonly resource_usage: ResourceMetrics
  readonly labels?: Readonly<Record<string, string>>
  readonly created_at: string
  readonly updated_at: string
  readonly organization?: string
  readonly message?: string
}

/** What an agent sends at registration and with each heartbeat. */
export interface StatusReport {
  readonly agent_id: string
  readonly cluster_id: string
  readonly zone_id: string
  readonly status: ReportedStatus
  readonly version: string
  readonly metrics: ClusterMetrics
  readonly vdcs: readonly VdcStatus[]
  readonly vms: readonly VmStatus[]
  readonly last_hub_contact: string
  readonly report_time: string
  readonly errors?: readonly string[]
  readonly callback_url?: string
  /** The exact state, of which `status` is the short form. */
  readonly state?: AgentState
  readonly health?: AgentHealth
}

export function readStatusReport(value: unknown): StatusReport {
  return readMessage('the status report', value, (fields) =>
    present({
      agent_id: fields.requiredText('agent_id'),
      cluster_id: fields.requiredText('cluster_id'),
      zone_id: fields.requiredText('zone_id'),
      status: fields.choice('status', REPORTED_STATUSES) ?? 'unavailable',
      version: fields.text('version') ?? '',
      metrics: readClusterMetrics(fields.object('metrics') ?? noFields(fields, 'metrics')),
      vdcs: fields.list('vdcs', vdcStatus) ?? [],
      vms: fields.list('vms', vmStatus) ?? [],
      last_hub_contact: fields.time('last_hub_contact') ?? '',
      report_time: fields.time('report_time') ?? '',
      errors: fields.textList('errors'),
      callback_url: fields.text('callback_url'),
      state: fields.choice('state', AGENT_STATES),
      health: optional(fields.object('health'), readAgentHealth),
    }),
  )
}

function vdcStatus(fields: Fields): VdcStatus {
  return present({
    name: fields.requiredText('name'),
    namespace: fields.requiredText('namespace'),
    status: fields.text('status') ?? '',
    resource_usage: readResourceMetrics(fields.object('resource_usage')),
    labels: fields.texts('labels'),
    created_at: fields.time('created_at') ?? '',
    updated_at: fields.time('updated_at') ?? '',
    organization: fields.text('organization'),
    message: fields.text('message'),
  })
}

function vmStatus(fields: Fields): VmStatus {
  return present({
    name: fields.requiredText('name'),
    namespace: fields.requiredText('namespace'),
    status: fields.text('status') ?? 'unknown',
    phase: fields.text('phase') ?? '',
    node_name: fields.text('node_name'),
    ip_address: fields.text('ip_address'),
    cpu: fields.text('cpu'),
    memory: fields.text('memory'),
    storage: fields.text('storage'),
    labels: fields.texts('labels'),
    created_at: fields.time('created_at') ?? '',
    updated_at: fields.time('updated_at') ?? '',
    uid: fields.text('uid'),
    instance_uid: fields.text('instance_uid'),
    printable_status: fields.text('printable_status'),
    message: fields.text('message'),
    operation_id: fields.text('operation_id'),
  })
}

function noFields(parent: Fields, key: string): Fields {
  return new Fields({}, parent.at(key), parent.errors)
}

function optional<T>(fields: Fields | undefined, read: (fields: Fields) => T): T | undefined {
  return fields === undefined ? undefined : read(fields)
}
