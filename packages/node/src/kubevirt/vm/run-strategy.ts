import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { VirtualMachine } from '../kinds/virtual-machine.js'
import { hasStartRequest, hasStopRequest } from './state-changes.js'

export const RUN_STRATEGIES = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once'] as const
export type RunStrategy = (typeof RUN_STRATEGIES)[number]

/** Returns the run strategy of a VirtualMachine. Admission ensures that it has one. */
export function runStrategyOf({ spec }: Pick<VirtualMachine, 'spec'>): RunStrategy {
  if (spec.runStrategy !== undefined) return spec.runStrategy as RunStrategy
  return spec.running === true ? 'Always' : 'Halted'
}

/** What to do with the instance of a VirtualMachine. */
export type Decision =
  | { readonly action: 'none' }
  | { readonly action: 'start' }
  /** `again` requests a start after the stop. */
  | { readonly action: 'stop'; readonly again?: boolean }
  /** Set the run strategy to Always: a request to start a halted machine. */
  | { readonly action: 'run' }
  /** Start it later, because earlier starts failed. */
  | { readonly action: 'wait'; readonly until: Date }

const NONE: Decision = { action: 'none' }

/**
 * Decides what a run strategy wants:
 *
 *   | strategy       | no instance                               | instance                                        |
 *   |----------------|-------------------------------------------|-------------------------------------------------|
 *   | Always         | start, after the back-off                 | stop if it is final or a stop is requested      |
 *   | RerunOnFailure | start on request or when newly set        | stop if final or requested; again if it failed  |
 *   | Manual         | start on request                          | stop on request                                 |
 *   | Halted         | run if a start is requested               | stop                                            |
 *   | Once           | start                                     | none                                            |
 */
export function decide(vm: VirtualMachine, instance: VirtualMachineInstance | undefined, now: Date): Decision {
  const strategy = runStrategyOf(vm)
  if (instance === undefined) return withoutInstance(vm, strategy, now)
  if (instance.metadata.deletionTimestamp !== undefined) return NONE
  const isRequested = hasStopRequest(vm, instance)
  const { phase } = instance.status ?? {}
  switch (strategy) {
    case 'Always':
      return isRequested || isFinal(instance) ? { action: 'stop' } : NONE
    case 'RerunOnFailure':
      if (phase === 'Failed') return { action: 'stop', again: true }
      return isRequested || phase === 'Succeeded' ? { action: 'stop' } : NONE
    case 'Manual':
      return isRequested ? { action: 'stop' } : NONE
    case 'Halted':
      return { action: 'stop' }
    case 'Once':
      return NONE
  }
}

function withoutInstance(vm: VirtualMachine, strategy: RunStrategy, now: Date): Decision {
  switch (strategy) {
    case 'Always':
      return backedOff(vm, now)
    case 'RerunOnFailure':
      return startsAgain(vm) ? backedOff(vm, now) : NONE
    case 'Manual':
      return hasStartRequest(vm) ? { action: 'start' } : NONE
    case 'Halted':
      return hasStartRequest(vm) ? { action: 'run' } : NONE
    case 'Once':
      return { action: 'start' }
  }
}

function backedOff({ status }: VirtualMachine, now: Date): Decision {
  const at = status?.startFailure?.retryAfterTimestamp
  if (at === undefined || at === null) return { action: 'start' }
  const until = new Date(at)
  return until > now ? { action: 'wait', until } : { action: 'start' }
}

/** A machine that was not RerunOnFailure before starts at once. */
function startsAgain(vm: VirtualMachine): boolean {
  return hasStartRequest(vm) || vm.status?.runStrategy !== 'RerunOnFailure'
}

/** Returns whether the run strategy wants an instance to run. */
export function isSetToStart(vm: VirtualMachine, instance: VirtualMachineInstance | undefined): boolean {
  switch (runStrategyOf(vm)) {
    case 'Always':
      return true
    case 'Halted':
      return false
    case 'Manual':
      return instance === undefined ? hasStartRequest(vm) : !hasStopRequest(vm, instance)
    case 'RerunOnFailure':
      return instance === undefined ? startsAgain(vm) : instance.status?.phase !== 'Succeeded'
    case 'Once':
      return instance === undefined
  }
}

/** Returns whether an instance has ended. */
export function isFinal({ status }: Pick<VirtualMachineInstance, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
