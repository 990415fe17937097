import type { JsonObject } from '@orrery/kinds'
import type { Catalog } from '../../kinds/catalog.js'
import type { Operation } from '../../kinds/operation.js'
import type { Organization } from '../../kinds/organization.js'
import type { Template } from '../../kinds/template.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import type { Zone } from '../../kinds/zone.js'
import { phaseOf } from '../queue/operation-state.js'
import { clusterOf } from '../zones/zone-agents.js'
import { STALE_MS } from '../zones/zone-status.js'
import { idOf, ownerOf } from './ids.js'

/** The JSON of objects for users. Absent values are left out. */

export function organizationJson(organization: Organization): object {
  const { metadata, spec, status } = organization
  return {
    id: metadata.name,
    uid: metadata.uid,
    name: metadata.name,
    display_name: spec.displayName ?? metadata.name,
    description: spec.description,
    is_enabled: spec.isEnabled,
    namespace: status?.namespace,
    status: status?.phase ?? 'Pending',
    catalogs: spec.catalogs,
    vdc_count: status?.counts?.vdcs ?? 0,
    vm_count: status?.counts?.vms ?? 0,
    template_count: status?.counts?.templates ?? 0,
    created_at: metadata.creationTimestamp,
  }
}

export function membersJson({ spec }: Organization): object[] {
  const members = (role: string, subjects: NonNullable<typeof spec.admins>) =>
    subjects.map((subject) => ({ role, ...subject }))
  return [...members('org_admin', spec.admins ?? []), ...members('org_user', spec.users ?? [])]
}

export function vdcJson(vdc: VirtualDataCenter): object {
  const { metadata, spec, status } = vdc
  const { quota = {}, limitRange = {} } = spec
  return {
    id: idOf(vdc),
    uid: metadata.uid,
    name: metadata.name,
    org_id: ownerOf(metadata.namespace),
    zone_id: status?.zone ?? spec.zoneId,
    display_name: spec.displayName ?? metadata.name,
    description: spec.description,
    status: status?.phase ?? 'Pending',
    message: status?.message,
    workload_namespace: status?.workloadNamespace,
    cpu_quota: text(quota.cpu),
    memory_quota: text(quota.memory),
    storage_quota: text(quota.storage),
    pods_quota: quota.pods,
    vms_quota: quota.virtualMachines,
    min_cpu: text(limitRange.minCpu),
    max_cpu: text(limitRange.maxCpu),
    min_memory: text(limitRange.minMemory),
    max_memory: text(limitRange.maxMemory),
    network_policy: spec.networkPolicy,
    catalog_restrictions: spec.catalogRestrictions,
    vm_count: status?.totalVMs ?? 0,
    created_at: metadata.creationTimestamp,
  }
}

export function vdcUsageJson({ spec, status }: VirtualDataCenter): object {
  const { quota = {} } = spec
  const { resourceUsage = {}, totalPods = 0, totalVMs = 0 } = status ?? {}
  return {
    cpu: { used: text(resourceUsage.cpu) ?? '0', quota: text(quota.cpu) },
    memory: { used: text(resourceUsage.memory) ?? '0', quota: text(quota.memory) },
    storage: { used: text(resourceUsage.storage) ?? '0', quota: text(quota.storage) },
    pods: { used: totalPods, quota: quota.pods },
    vms: { used: totalVMs, quota: quota.virtualMachines },
  }
}

export function templateJson(template: Template): object {
  const { metadata, spec } = template
  return {
    id: idOf(template),
    uid: metadata.uid,
    name: metadata.name,
    org_id: ownerOf(metadata.namespace),
    display_name: spec.displayName ?? metadata.name,
    description: spec.description,
    os_type: spec.osType,
    os_version: spec.osVersion,
    cpu: spec.cpu,
    memory: text(spec.memory),
    disk_size: text(spec.storage),
    image: spec.image,
    created_at: metadata.creationTimestamp,
  }
}

export function catalogJson(catalog: Catalog): object {
  const { metadata, spec } = catalog
  return {
    id: idOf(catalog),
    uid: metadata.uid,
    name: metadata.name,
    org_id: ownerOf(metadata.namespace),
    display_name: spec.displayName ?? metadata.name,
    description: spec.description,
    is_enabled: spec.isEnabled,
    templates: spec.templates ?? [],
  }
}

export function vmJson(request: VirtualMachineRequest): object {
  const { metadata, spec, status = {} } = request
  const vdc = status.vdc ?? spec.vdc
  return {
    id: idOf(request),
    uid: metadata.uid,
    name: metadata.name,
    org_id: ownerOf(metadata.namespace),
    vdc_id: vdc === undefined ? undefined : `${ownerOf(metadata.namespace)}.${vdc}`,
    zone_id: status.zone,
    template: spec.template,
    status: metadata.deletionTimestamp === undefined ? (status.phase ?? 'pending') : 'deleting',
    power_state: spec.powerState,
    printable_status: status.printableStatus,
    message: status.message,
    cpu: spec.cpu,
    memory: text(spec.memory),
    disk_size: text(spec.storage),
    ip_address: status.ipAddress,
    node_name: status.nodeName,
    network_name: spec.networkName,
    labels: spec.labels,
    created_at: metadata.creationTimestamp,
  }
}

export function operationJson(operation: Operation): object {
  const { metadata, spec, status = {} } = operation
  return {
    id: idOf(operation),
    uid: metadata.uid,
    type: spec.type,
    status: phaseOf(operation).toLowerCase(),
    org_id: ownerOf(metadata.namespace),
    zone_id: spec.zone,
    target: { kind: spec.target.kind, name: spec.target.name },
    attempts: status.attempts ?? 0,
    result: status.result as JsonObject | undefined,
    error: status.error,
    requested_by: spec.requestedBy,
    created_at: metadata.creationTimestamp,
    started_at: status.startedAt,
    completed_at: status.completedAt,
  }
}

export function zoneJson(zone: Zone, now: Date): object {
  const { metadata, spec, status = {} } = zone
  const { agent } = status
  const isConnected =
    agent !== undefined && now.getTime() - Date.parse(agent.lastContact) < STALE_MS && agent.status !== 'stale'
  return {
    id: metadata.name,
    name: metadata.name,
    cluster: clusterOf(zone, metadata.name),
    status: agent === undefined ? 'unknown' : isConnected ? 'available' : 'unavailable',
    is_schedulable: spec?.unschedulable !== true && isConnected,
    cpu_capacity: text(status.capacity?.cpu),
    memory_capacity: text(status.capacity?.memory),
    storage_capacity: text(status.capacity?.storage),
    node_count: status.nodeCount ?? 0,
    vm_count: status.vmCount ?? 0,
    vdc_count: status.vdcCount ?? 0,
    spoke_agent: agent && {
      agent_id: agent.id,
      status: agent.status,
      version: agent.version,
      last_contact: agent.lastContact,
      is_connected: isConnected,
      error_count: agent.errors?.length ?? 0,
    },
  }
}

export function text(quantity: number | string | undefined): string | undefined {
  return quantity === undefined ? undefined : String(quantity)
}
