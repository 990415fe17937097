import type { JsonObject } from '@orrery/kinds'
import { isDNS1123Label } from '@orrery/kinds/values'
import { type Fields, present, readMessage } from './fields.js'

export const NETWORK_POLICIES = ['default', 'isolated', 'custom'] as const

export type NetworkPolicyMode = (typeof NETWORK_POLICIES)[number]

/** Kubernetes quantities. Absent: not limited. Plain numbers are cores, GiB and counts. */
export interface VdcQuota {
  readonly cpu?: string
  readonly memory?: string
  readonly storage?: string
  readonly pods?: string
  readonly virtual_machines?: string
}

/** Limits of one container. Plain numbers are millicores and MiB. */
export interface VdcLimitRange {
  readonly min_cpu?: string
  readonly max_cpu?: string
  readonly min_memory?: string
  readonly max_memory?: string
}

export interface VdcTarget {
  readonly vdc_name: string
  /** The namespace of the VirtualDataCenter on the hub: `org-{organization}`. */
  readonly vdc_namespace: string
  /** The namespace of its machines on the cluster: `vdc-{organization}-{vdc}`. */
  readonly target_namespace: string
  readonly organization: string
  readonly zone_id?: string
}

/** The payload of VDCCreate and VDCUpdate: everything the data center should be. */
export interface VdcCreateRequest extends VdcTarget {
  readonly display_name?: string
  readonly description?: string
  readonly quota: VdcQuota
  readonly limit_range?: VdcLimitRange
  readonly network_policy: NetworkPolicyMode
  /** With `custom`: `policy_type` (`isolate` or `allow-all`), `deny_all_ingress`, `deny_all_egress`. */
  readonly custom_network_config?: JsonObject
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Users and groups that may read the machines on the cluster, next to its own administrators. */
  readonly viewers?: readonly VdcSubject[]
}

export interface VdcSubject {
  readonly kind: 'User' | 'Group'
  readonly name: string
}

/** The payload of VDCDelete. */
export interface VdcDeleteRequest extends VdcTarget {
  /** Delete the machines of the data center too. Without it, the operation fails while there are machines. */
  readonly force?: boolean
}

/** The name of the namespace on the cluster that holds the machines of a data center. */
export function workloadNamespace(organization: string, vdc: string): string {
  return `vdc-${organization}-${vdc}`
}

export function organizationNamespace(organization: string): string {
  return `org-${organization}`
}

export function readVdcCreate(type: 'VDCCreate' | 'VDCUpdate', value: unknown): VdcCreateRequest {
  return readMessage(`the payload of ${type}`, value, vdcCreate, 'payload')
}

function vdcCreate(fields: Fields): VdcCreateRequest {
  return present({
    ...target(fields),
    display_name: fields.text('display_name'),
    description: fields.text('description'),
    quota: quota(fields),
    limit_range: limitRange(fields),
    network_policy: networkPolicy(fields),
    custom_network_config: fields.json('custom_network_config'),
    labels: fields.texts('labels'),
    annotations: fields.texts('annotations'),
    viewers: fields.list('viewers', (subject) => ({
      kind: subject.choice('kind', ['User', 'Group'] as const) ?? 'User',
      name: subject.requiredText('name'),
    })),
  })
}

export function readVdcDelete(value: unknown): VdcDeleteRequest {
  return readMessage(
    'the payload of VDCDelete',
    value,
    (fields) => present({ ...target(fields), force: fields.boolean('force') }),
    'payload',
  )
}

function target(fields: Fields): VdcTarget {
  const name = fields.requiredText(fields.first('vdc_name', 'name'))
  const organization = fields.requiredText(fields.first('organization', 'organization_name'))
  const namespace = fields.text('target_namespace') ?? workloadNamespace(organization, name)
  if (name !== '' && organization !== '') fields.checkName('target_namespace', namespace, isDNS1123Label)
  return present({
    vdc_name: name,
    vdc_namespace: fields.text('vdc_namespace') ?? organizationNamespace(organization),
    target_namespace: namespace,
    organization,
    zone_id: fields.text('zone_id'),
  })
}

function quota(fields: Fields): VdcQuota {
  const given = fields.object('quota')
  if (given === undefined) {
    return present({
      cpu: fields.quantity('cpu_quota'),
      memory: fields.quantity('memory_quota', 'Gi'),
      storage: fields.quantity('storage_quota', 'Gi'),
      pods: fields.quantity('pods_quota'),
      virtual_machines: fields.quantity('vms_quota'),
    })
  }
  return present({
    cpu: given.quantity('cpu'),
    memory: given.quantity('memory', 'Gi'),
    storage: given.quantity('storage', 'Gi'),
    pods: given.quantity('pods'),
    virtual_machines: given.quantity(given.first('virtual_machines', 'virtualMachines')),
  })
}

function limitRange(fields: Fields): VdcLimitRange | undefined {
  const limits = fields.object('limit_range') ?? fields
  const range: VdcLimitRange = present({
    min_cpu: limits.quantity('min_cpu', 'm'),
    max_cpu: limits.quantity('max_cpu', 'm'),
    min_memory: limits.quantity('min_memory', 'Mi'),
    max_memory: limits.quantity('max_memory', 'Mi'),
  })
  return Object.keys(range).length === 0 ? undefined : range
}

function networkPolicy(fields: Fields): NetworkPolicyMode {
  if (fields.value('network_policy') === '') return 'default'
  return fields.choice('network_policy', NETWORK_POLICIES) ?? 'default'
}
