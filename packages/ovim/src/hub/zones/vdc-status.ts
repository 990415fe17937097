import type { VirtualDataCenter, VirtualDataCenterStatus } from '../../kinds/virtual-data-center.js'
import type { VdcStatus } from '../../wire/status-report.js'

/** The status of a virtual data center after a report. Small changes of the usage count: agents report requested resources. */
export function reportedVdcStatus({ status = {} }: VirtualDataCenter, vdc: VdcStatus): VirtualDataCenterStatus {
  const { cpu_used, memory_used, storage_used, pod_count, vm_count } = vdc.resource_usage
  return {
    ...status,
    resourceUsage: {
      cpu: `${Math.round(cpu_used)}m`,
      memory: String(Math.round(memory_used)),
      storage: String(Math.round(storage_used)),
    },
    totalPods: Math.round(pod_count),
    totalVMs: Math.round(vm_count),
  }
}
