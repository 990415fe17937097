import type { VirtualMachineRequest, VirtualMachineRequestStatus } from '../../kinds/virtual-machine-request.js'
import { VM_STATUSES, type VmState, type VmStatus } from '../../wire/status-report.js'
import { isFinished } from '../queue/operation-state.js'

/** The state in a report; `unknown` for one that OVIM does not have. */
export function vmStateOf(status: string): VmState {
  const known = status.toLowerCase()
  return VM_STATUSES.find((state) => state === known) ?? 'unknown'
}

/**
 * Whether a report can show the effect of the last operation. Both times are the agent's. Without this check, a report that was
 * collected before an operation and arrives after its result would undo what the operation has changed.
 */
export function isAfterOperation({ status }: VirtualMachineRequest, reportTime: string): boolean {
  const executed = Date.parse(status?.operation?.reportedAt ?? '')
  return Number.isNaN(executed) || !(Date.parse(reportTime) < executed)
}

/** The status of a request whose virtual machine was reported. */
export function machineStatus(
  { metadata, status = {} }: VirtualMachineRequest,
  vm: VmStatus,
  reportTime: string,
): VirtualMachineRequestStatus {
  const { ipAddress: _, nodeName: __, printableStatus: ___, message: ____, reportedAt: _____, ...rest } = status
  const isOperating = status.operation !== undefined && !isFinished({ status: status.operation })
  const isDeleting = metadata.deletionTimestamp !== undefined
  return {
    ...rest,
    phase: isDeleting ? 'deleting' : vmStateOf(vm.status),
    ...(vm.ip_address && { ipAddress: vm.ip_address }),
    ...(vm.node_name && { nodeName: vm.node_name }),
    ...(vm.printable_status && { printableStatus: vm.printable_status }),
    ...(vm.message && { message: vm.message.slice(0, MAX_MESSAGE) }),
    // The operation may have ended before the report without its result being recorded yet.
    ...(isOperating && { reportedAt: reportTime }),
  }
}

const MAX_MESSAGE = 4_096

const MISSING_MESSAGE =
  'the virtual machine does not exist on the cluster any more: it was deleted there. Delete this request and create it again'

/** The status of a request whose virtual machine was created and is not reported any more. */
export function missingStatus({ status = {} }: VirtualMachineRequest): VirtualMachineRequestStatus {
  const { ipAddress: _, nodeName: __, printableStatus: ___, ...rest } = status
  return { ...rest, phase: 'error', message: MISSING_MESSAGE }
}
