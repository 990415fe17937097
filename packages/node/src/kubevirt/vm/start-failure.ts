import { formatTime } from '@orrery/kinds/values'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { StartFailure, VirtualMachine } from '../kinds/virtual-machine.js'
import { isFinal, runStrategyOf } from './run-strategy.js'

const MAX_DELAY_SECONDS = 300
const INTERVAL_SECONDS = 10

/**
 * Returns the failure to start of a VirtualMachine: instances in a row that ended before they were running. It is
 * cleared when one runs, or if the run strategy does not start failed instances again.
 */
export function startFailureOf(
  vm: VirtualMachine,
  instance: VirtualMachineInstance | undefined,
  now: Date,
  random: () => number,
): StartFailure | undefined {
  const known = vm.status?.startFailure
  const strategy = runStrategyOf(vm)
  if (strategy === 'Halted' || strategy === 'Manual') return undefined
  if (instance === undefined) return known
  if (hasRun(instance)) return undefined
  const { uid } = instance.metadata
  if (!isFinal(instance) || known?.lastFailedVMIUID === uid) return known
  const count = (known?.consecutiveFailCount ?? 0) + 1
  const retryAt = new Date(now.getTime() + delaySeconds(count, random) * 1_000)
  return { consecutiveFailCount: count, lastFailedVMIUID: uid, retryAfterTimestamp: formatTime(retryAt) }
}

/** Returns the delay before a start: 10 s, 40 s, 90 s, … up to 5 minutes, with up to half of it added at random. */
export function delaySeconds(failures: number, random: () => number): number {
  const base = INTERVAL_SECONDS * Math.max(failures, 1) ** 2
  return Math.min(base + Math.floor(random() * (Math.floor(base / 2) + 1)), MAX_DELAY_SECONDS)
}

function hasRun({ status }: VirtualMachineInstance): boolean {
  return status?.phaseTransitionTimestamps?.some(({ phase }) => phase === 'Running') ?? false
}
