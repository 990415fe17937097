import { findCondition, isConditionTrue, removeCondition, setCondition } from '@orrery/kinds/values'
import type { InstanceCondition, VirtualMachineInstance } from '../kinds/instance.js'
import type { VirtualMachine, VirtualMachineStatus } from '../kinds/virtual-machine.js'
import { RESTART_REQUIRED, VM_GENERATION_ANNOTATION } from '../names.js'
import { type PrintableFacts, printableStatusOf } from './printable-status.js'
import { runStrategyOf } from './run-strategy.js'
import { startFailureOf } from './start-failure.js'
import { pendingRequests } from './state-changes.js'

export interface VmStatusFacts extends Omit<PrintableFacts, 'vm'> {
  /** Why the last attempt to bring the VirtualMachine to its desired state failed. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
  /** Whether the instance runs an older template. */
  readonly needsRestart: boolean
  readonly now: Date
  readonly random: () => number
}

/** The conditions that are the VirtualMachine's own. All others are those of its instance. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'Failure', RESTART_REQUIRED])

/** Returns the status of a VirtualMachine. */
export function vmStatusOf(vm: VirtualMachine, facts: VmStatusFacts): VirtualMachineStatus {
  const { instance, now } = facts
  const { startFailure: _, stateChangeRequests, runStrategy, ...before } = vm.status ?? {}
  const requests = pendingRequests(stateChangeRequests, instance)
  const startFailure = startFailureOf(vm, instance, now, facts.random)
  const status: VirtualMachineStatus = {
    ...before,
    created: instance !== undefined,
    ready: isConditionTrue(instance?.status?.conditions, 'Ready'),
    conditions: conditionsOf(before.conditions ?? [], facts),
    ...generations(vm, facts),
    ...(requests !== undefined && { stateChangeRequests: requests }),
    ...(startFailure !== undefined && { startFailure }),
    // Unset until the first start, which shows whether it was ever started.
    ...((runStrategy !== undefined || instance !== undefined) && { runStrategy: runStrategyOf(vm) }),
  }
  return { ...status, printableStatus: printableStatusOf({ ...facts, vm: { ...vm, status } }) }
}

function conditionsOf(
  known: readonly InstanceCondition[],
  { instance, failure, needsRestart, now }: VmStatusFacts,
): readonly InstanceCondition[] {
  const ofInstance = instance?.status?.conditions ?? []
  let conditions = known
  if (instance !== undefined) {
    conditions = conditions.filter(({ type }) => OWN_CONDITIONS.has(type))
    conditions = [...conditions, ...ofInstance.filter(({ type }) => !OWN_CONDITIONS.has(type))]
  }
  conditions = withReady(conditions, instance, now)
  conditions =
    failure === undefined
      ? removeCondition(conditions, 'Failure')
      : setCondition(conditions, { type: 'Failure', status: 'True', ...failure }, now)
  if (instance === undefined || !needsRestart) return removeCondition(conditions, RESTART_REQUIRED)
  const message = 'The template has changed since the instance started: restart the virtual machine to apply it'
  const finding = { type: RESTART_REQUIRED, status: 'True' as const, reason: 'TemplateChanged', message }
  return setCondition(conditions, finding, now)
}

function withReady(
  conditions: readonly InstanceCondition[],
  instance: VirtualMachineInstance | undefined,
  now: Date,
): readonly InstanceCondition[] {
  const ready = findCondition(instance?.status?.conditions, 'Ready')
  if (ready !== undefined) {
    const index = conditions.findIndex(({ type }) => type === 'Ready')
    return index < 0 ? [...conditions, ready] : conditions.with(index, ready)
  }
  const [reason, message] =
    instance === undefined
      ? ['VMINotExists', 'VMI does not exist']
      : ['VMIConditionMissing', 'VMI is missing the Ready condition']
  return setCondition(conditions, { type: 'Ready', status: 'False', reason, message }, now)
}

/** A template that the instance does not run yet has not been observed. */
function generations(
  { metadata: { generation } }: VirtualMachine,
  { instance, needsRestart }: VmStatusFacts,
): Pick<VirtualMachineStatus, 'observedGeneration' | 'desiredGeneration'> {
  if (instance === undefined || generation === undefined) return {}
  const started = Number(instance.metadata.annotations?.[VM_GENERATION_ANNOTATION] ?? generation)
  return { observedGeneration: needsRestart ? started : generation, desiredGeneration: generation }
}
