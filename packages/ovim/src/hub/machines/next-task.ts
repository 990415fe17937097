import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import type { OperationType } from '../../wire/operation-types.js'
import type { VmState } from '../../wire/status-report.js'

/**
 * The operation that brings a virtual machine nearer to its specification; undefined if there is none now. It is created first, then
 * changed, then restarted, then switched on or off:
 *
 * | requested | running | paused    | stopped | provisioning, error, unknown       | stopping, deleting, pending |
 * |-----------|---------|-----------|---------|------------------------------------|-----------------------------|
 * | Running   | –       | VMUnpause | VMStart | –                                  | –                           |
 * | Paused    | VMPause | –         | VMStart | –                                  | –                           |
 * | Stopped   | VMStop  | VMStop    | –       | VMStop, unless it has just stopped | –                           |
 */
export function nextTask({ spec, status = {} }: VirtualMachineRequest, wantedSpec: string): OperationType | undefined {
  if (status.created !== true) return 'VMCreate'
  if (status.appliedSpec !== wantedSpec) return 'VMUpdate'
  const { phase = 'pending' } = status
  const isRestart = spec.restartedAt !== undefined && spec.restartedAt !== status.observedRestart
  if (isRestart && spec.powerState === 'Running') {
    if (phase === 'stopped') return 'VMStart'
    if (phase !== 'stopping' && phase !== 'deleting') return 'VMRestart'
  }
  if (spec.powerState === 'Stopped') {
    if (phase === 'running' || phase === 'paused') return 'VMStop'
    const wasStopped = status.operation?.type === 'VMStop' && status.operation.phase === 'Completed'
    return isUnsettled(phase) && !wasStopped ? 'VMStop' : undefined
  }
  if (phase === 'stopped') return 'VMStart'
  if (phase === 'paused') return spec.powerState === 'Paused' ? undefined : 'VMUnpause'
  return phase === 'running' && spec.powerState === 'Paused' ? 'VMPause' : undefined
}

function isUnsettled(phase: VmState): boolean {
  return phase === 'provisioning' || phase === 'error' || phase === 'unknown'
}

/** The phase after an operation, until the agent reports one. */
export function phaseAfter(type: OperationType, powerState: 'Running' | 'Stopped' | 'Paused'): VmState | undefined {
  switch (type) {
    case 'VMCreate':
      return powerState === 'Stopped' ? 'stopped' : 'provisioning'
    case 'VMStart':
    case 'VMRestart':
      return 'provisioning'
    case 'VMStop':
      return 'stopping'
    case 'VMPause':
      return 'paused'
    case 'VMUnpause':
      return 'running'
    case 'VMDelete':
      return 'deleting'
    default:
      return undefined
  }
}

/** Whether the virtual machine is in the requested power state. */
export function isInPowerState({ spec, status }: VirtualMachineRequest): boolean {
  const wanted = { Running: 'running', Stopped: 'stopped', Paused: 'paused' } as const
  return status?.created === true && status.phase === wanted[spec.powerState]
}
