import { findCondition, hasCondition } from '@orrery/kinds/values'
import type { DataVolume } from '../kinds/data-volume.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { VirtualMachine } from '../kinds/virtual-machine.js'
import { isFinal, isSetToStart, runStrategyOf } from './run-strategy.js'

/** The state that a VirtualMachine summarizes in `status.printableStatus`. */
export interface PrintableFacts {
  readonly vm: VirtualMachine
  readonly instance: VirtualMachineInstance | undefined
  /** The DataVolumes of its volumes that exist. */
  readonly dataVolumes: readonly DataVolume[]
  /** Whether a claim of its volumes is not bound. */
  readonly hasUnboundClaim: boolean
}

const DONE_OR_WAITING: ReadonlySet<string> = new Set([
  'Succeeded',
  'Failed',
  'WaitForFirstConsumer',
  'PendingPopulation',
])
const STARTING_PHASES: ReadonlySet<string> = new Set(['', 'Pending', 'Scheduling', 'Scheduled'])

/** The statuses by precedence: the first that holds is shown. */
const STATUSES: readonly (readonly [string, (facts: PrintableFacts) => boolean])[] = [
  ['Terminating', ({ vm }) => vm.metadata.deletionTimestamp !== undefined],
  ['Stopping', ({ instance }) => isStopping(instance)],
  ['Migrating', ({ instance }) => isMigrating(instance)],
  ['Paused', ({ instance }) => isRunning(instance) && isPaused(instance)],
  ['Running', ({ instance }) => isRunning(instance) && !isPaused(instance)],
  ['ErrorPvcNotFound', ({ instance }) => isUnsynchronized(instance, 'FailedPvcNotFound')],
  ['DataVolumeError', ({ dataVolumes }) => dataVolumes.some(hasFailed)],
  ['ErrorUnschedulable', ({ instance }) => isUnschedulable(instance)],
  ['Provisioning', ({ dataVolumes }) => dataVolumes.some(({ status }) => !DONE_OR_WAITING.has(status?.phase ?? ''))],
  ['WaitingForVolumeBinding', ({ vm, instance, hasUnboundClaim }) => hasUnboundClaim && isSetToStart(vm, instance)],
  ['ErrImagePull', ({ instance }) => isUnsynchronized(instance, 'ErrImagePull')],
  ['ImagePullBackOff', ({ instance }) => isUnsynchronized(instance, 'ImagePullBackOff')],
  ['Starting', ({ instance }) => instance !== undefined && STARTING_PHASES.has(instance.status?.phase ?? '')],
  ['CrashLoopBackOff', (facts) => isBackingOff(facts)],
  ['Stopped', ({ instance }) => instance === undefined || isFinal(instance)],
]

/** Every value of `status.printableStatus`, by precedence. The last two are not reached on an embedded cluster. */
export const PRINTABLE_STATUSES: readonly string[] = [
  ...STATUSES.map(([name]) => name),
  'WaitingForReceiver',
  'Unknown',
]

/** Returns the summary of a VirtualMachine's state. */
export function printableStatusOf(facts: PrintableFacts): string {
  return STATUSES.find(([, holds]) => holds(facts))?.[0] ?? 'Unknown'
}

type MaybeInstance = VirtualMachineInstance | undefined

function isRunning(instance: MaybeInstance): boolean {
  return instance?.status?.phase === 'Running'
}

function isPaused(instance: MaybeInstance): boolean {
  return hasCondition(instance?.status?.conditions, 'Paused', 'True')
}

function isStopping(instance: MaybeInstance): boolean {
  return instance !== undefined && !isFinal(instance) && instance.metadata.deletionTimestamp !== undefined
}

function isMigrating(instance: MaybeInstance): boolean {
  const state = instance?.status?.migrationState
  return state !== undefined && state.completed !== true && state.startTimestamp !== undefined
}

function isUnsynchronized(instance: MaybeInstance, reason: string): boolean {
  const condition = findCondition(instance?.status?.conditions, 'Synchronized')
  return condition?.status === 'False' && condition.reason === reason
}

function isUnschedulable(instance: MaybeInstance): boolean {
  const condition = findCondition(instance?.status?.conditions, 'PodScheduled')
  return condition?.status === 'False' && condition.reason === 'Unschedulable'
}

/** A DataVolume also fails while its importer restarts after errors. */
function hasFailed({ status }: DataVolume): boolean {
  const running = findCondition(status?.conditions, 'Running')
  return status?.phase === 'Failed' || (running?.status === 'False' && running.reason === 'Error')
}

function isBackingOff({ vm, instance }: PrintableFacts): boolean {
  if (instance !== undefined && !isFinal(instance)) return false
  const strategy = runStrategyOf(vm)
  const restarts = strategy === 'Always' || strategy === 'RerunOnFailure' || strategy === 'Once'
  return restarts && (vm.status?.startFailure?.consecutiveFailCount ?? 0) > 0
}
