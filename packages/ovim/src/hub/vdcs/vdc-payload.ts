import { createHash } from 'node:crypto'
import type { JsonObject } from '@orrery/kinds'
import { canonicalJson } from '@orrery/kinds/values'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { present } from '../../wire/fields.js'
import type { VdcCreateRequest, VdcTarget } from '../../wire/vdc-payloads.js'
import type { VdcLocation } from './vdc-location.js'

/** The payload of VDCDelete, and what all payloads have. */
export function vdcTarget({ metadata }: VirtualDataCenter, location: VdcLocation): VdcTarget {
  return {
    vdc_name: metadata.name,
    vdc_namespace: metadata.namespace,
    target_namespace: location.workloadNamespace,
    organization: location.organization,
    zone_id: location.zone,
  }
}

/** The payload of VDCCreate and VDCUpdate. */
export function vdcPayload(vdc: VirtualDataCenter, location: VdcLocation): VdcCreateRequest {
  const { displayName, description, quota = {}, limitRange, networkPolicy, customNetworkConfig } = vdc.spec
  const text = (value: number | string | undefined) => (value === undefined ? undefined : String(value))
  return present({
    ...vdcTarget(vdc, location),
    display_name: displayName,
    description,
    quota: present({
      cpu: text(quota.cpu),
      memory: text(quota.memory),
      storage: text(quota.storage),
      pods: text(quota.pods),
      virtual_machines: text(quota.virtualMachines),
    }),
    limit_range:
      limitRange &&
      present({
        min_cpu: text(limitRange.minCpu),
        max_cpu: text(limitRange.maxCpu),
        min_memory: text(limitRange.minMemory),
        max_memory: text(limitRange.maxMemory),
      }),
    network_policy: networkPolicy,
    custom_network_config:
      customNetworkConfig &&
      present({
        policy_type: customNetworkConfig.policyType,
        deny_all_ingress: customNetworkConfig.denyAllIngress,
        deny_all_egress: customNetworkConfig.denyAllEgress,
      }),
  })
}

/** Equal for payloads that make the same on the cluster. */
export function hashOf(payload: object): string {
  return createHash('sha256')
    .update(canonicalJson(payload as JsonObject))
    .digest('hex')
    .slice(0, 16)
}
