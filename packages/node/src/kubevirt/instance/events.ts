import type { Recorder } from '../../workloads/context.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { MachineExit } from '../machine/machine.js'
import type { InstancePhase } from './phase.js'

/** Records the events of a phase that an instance enters. */
export function recordPhase(
  recorder: Recorder,
  instance: VirtualMachineInstance,
  phase: InstancePhase,
  exit: MachineExit | undefined,
  played: string | undefined,
): void {
  const record = (type: 'Normal' | 'Warning', reason: string, note: string) =>
    recorder.record({ regarding: instance, type, reason, note })
  switch (phase) {
    case 'Running':
      record('Normal', 'Created', 'VirtualMachineInstance defined.')
      record('Normal', 'Started', 'VirtualMachineInstance started.')
      if (played !== undefined) record('Normal', 'Played', played)
      return
    case 'Succeeded':
      record('Normal', 'Stopped', 'The VirtualMachineInstance was shut down.')
      return
    case 'Failed':
      if (exit?.reason === 'killed') {
        record('Warning', 'Stopped', 'The VirtualMachineInstance was killed after its grace period.')
      } else {
        const why = exit?.message === undefined ? '' : ` ${exit.message}.`
        record('Warning', 'Stopped', `The VirtualMachineInstance crashed.${why}`)
      }
      return
  }
}
