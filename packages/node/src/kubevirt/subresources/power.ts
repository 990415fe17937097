import type { JsonObject } from '@orrery/kinds'
import { badRequest, internalError, isConditionTrue } from '@orrery/kinds/values'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { StateChangeRequest, VirtualMachine } from '../kinds/virtual-machine.js'
import { MANUAL_RECOVERY_REQUIRED } from '../names.js'
import { isFinal, runStrategyOf } from '../vm/run-strategy.js'
import { PAUSED_DATA, START, STOP } from '../vm/state-changes.js'
import { VM_NOT_RUNNING, vmConflict } from './errors.js'

/** The change of a VirtualMachine that starts or stops it. */
export interface PowerChange {
  readonly patch: JsonObject
  /** Whether it is a change of the status. */
  readonly isStatus: boolean
}

type Instance = VirtualMachineInstance | undefined

const RECOVERY = 'VM recovery required: a volume migration failed, reassign its volumes by hand'

/** Returns the change that starts a VirtualMachine. */
export function startChange(vm: VirtualMachine, instance: Instance, paused: boolean): PowerChange {
  const { name } = vm.metadata
  const { phase = '' } = instance?.status ?? {}
  if (instance !== undefined && !isFinal(instance) && phase !== 'Unknown' && phase !== '') {
    throw vmConflict(name, 'VM is already running')
  }
  if (isConditionTrue(vm.status?.conditions, MANUAL_RECOVERY_REQUIRED)) throw vmConflict(name, RECOVERY)
  const start: StateChangeRequest = { action: START, ...(paused && { data: PAUSED_DATA }) }
  const strategy = runStrategyOf(vm)
  switch (strategy) {
    case 'Halted':
      return paused ? request(vm, start) : runningChange(vm, true)
    case 'RerunOnFailure':
      if (phase === 'Failed') {
        throw vmConflict(name, 'RerunOnFailure does not support starting VM from failed state')
      }
      return phase === 'Succeeded' ? request(vm, stopOf(instance), start) : request(vm, start)
    case 'Manual':
      return instance !== undefined && isFinal(instance) ? request(vm, stopOf(instance), start) : request(vm, start)
    case 'Always':
    case 'Once':
      throw vmConflict(name, `${strategy} does not support manual start requests`)
  }
}

/** Returns the change that stops a VirtualMachine. */
export function stopChange(vm: VirtualMachine, instance: Instance, graceSeconds: number | undefined): PowerChange {
  const { name } = vm.metadata
  const strategy = runStrategyOf(vm)
  if (strategy === 'Always' || strategy === 'Once') return runningChange(vm, false)
  if (instance === undefined || isFinal(instance)) throw vmConflict(name, VM_NOT_RUNNING)
  if (strategy === 'Halted') {
    const { terminationGracePeriodSeconds: before } = instance.spec
    if (graceSeconds === undefined || (before !== undefined && graceSeconds >= before)) {
      throw vmConflict(name, 'Halted only supports manual stop requests with a shorter graceperiod')
    }
  }
  return request(vm, stopOf(instance))
}

/** Returns the change that restarts a VirtualMachine. */
export function restartChange(vm: VirtualMachine, instance: Instance, graceSeconds: number | undefined): PowerChange {
  const { name } = vm.metadata
  if (graceSeconds !== undefined && graceSeconds > 0) {
    throw badRequest('For force restart, only gracePeriod=0 is supported for now')
  }
  if (isConditionTrue(vm.status?.conditions, 'VolumesChange')) throw vmConflict(name, RECOVERY)
  const strategy = runStrategyOf(vm)
  if (strategy === 'Halted' || strategy === 'Once') {
    // The misspelled word is KubeVirt's: clients compare the text.
    throw vmConflict(name, `RunStategy ${strategy} does not support manual restart requests`)
  }
  if (instance === undefined) throw vmConflict(name, 'VM is not running: Halted')
  return request(vm, stopOf(instance), { action: START })
}

function stopOf(instance: Instance): StateChangeRequest {
  return { action: STOP, ...(instance !== undefined && { uid: instance.metadata.uid }) }
}

/** Adds requests to the status. Only a stop alone replaces others. */
function request({ status }: VirtualMachine, ...changes: StateChangeRequest[]): PowerChange {
  const isPending = (status?.stateChangeRequests?.length ?? 0) > 0
  const isStop = changes.length === 1 && changes[0]?.action === STOP
  if (isPending && !isStop) throw internalError('unable to complete request: stop/start already underway')
  const requests = changes as unknown as JsonObject[]
  const startFailure = status?.startFailure === undefined ? {} : { startFailure: null }
  return { isStatus: true, patch: { status: { stateChangeRequests: requests, ...startFailure } } }
}

function runningChange({ spec }: VirtualMachine, running: boolean): PowerChange {
  const wanted = spec.runStrategy === undefined ? { running } : { runStrategy: running ? 'Always' : 'Halted' }
  return { isStatus: false, patch: { spec: wanted } }
}
