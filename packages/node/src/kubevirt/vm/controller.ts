import type { ObjectRef } from '@orrery/kinds'
import { isConditionTrue, isNotFound } from '@orrery/kinds/values'
import {
  addFinalizer,
  byController,
  type ControllerSpec,
  each,
  hasFinalizer,
  isBeingDeleted,
  ownerReferenceTo,
  type ReconcileContext,
  removeFinalizer,
  requeueAt,
  writeStatus,
} from '@orrery/kube'
import { controllerOf, setOwner } from '@orrery/kube/write'
import { messageOf } from '../../workloads/pod-control.js'
import type { KubevirtContext } from '../context.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import { IMMEDIATE_DATA_VOLUMES_ANNOTATION, MANUAL_RECOVERY_REQUIRED, VM_FINALIZER } from '../names.js'
import { claimNames, dataVolumesOf, hasUnboundClaim } from '../volumes.js'
import { ensureDataVolumes } from './data-volumes.js'
import { newInstance } from './new-instance.js'
import { keepRevision, needsRestart } from './revisions.js'
import { decide, isFinal, runStrategyOf } from './run-strategy.js'
import { START } from './state-changes.js'
import { vmStatusOf } from './status.js'

const COMPONENT = 'virtualmachine-controller'
/** Set by the API server on an object that is deleted without its dependents. */
const ORPHAN = 'orphan'

interface Outcome {
  /** When to look again. */
  readonly again?: Date
  /** Whether a start follows the stop. */
  readonly startsAgain?: boolean
}

/** Starts and stops the instances of VirtualMachines (KubeVirt: the VM controller of virt-controller). */
export function vmController(context: KubevirtContext): ControllerSpec {
  const { vms, instances, dataVolumes, claims, revisions } = context
  const recorder = context.recorder(COMPONENT)
  const expectations = context.expectations(VirtualMachineInstance)

  /** Returns the instance of a VirtualMachine. Adopts one of the same name without an owner. */
  const instanceOf = async (vm: VirtualMachine, { client, signal }: ReconcileContext) => {
    const found = instances.get(vm.metadata)
    if (found === undefined) return undefined
    const owner = controllerOf(found)
    if (owner !== undefined) return owner.uid === vm.metadata.uid ? found : undefined
    if (isBeingDeleted(vm) || isBeingDeleted(found)) return undefined
    const reference = ownerReferenceTo(vm, VirtualMachine, { controller: true })
    return expectations.after(setOwner(client, VirtualMachineInstance, found, reference, { signal }), signal)
  }

  const stop = async (vm: VirtualMachine, instance: VirtualMachineInstance, { client, signal }: ReconcileContext) => {
    if (isBeingDeleted(instance)) return
    const { name, namespace, uid } = instance.metadata
    const deletion = client.delete(VirtualMachineInstance, { name, namespace }, { preconditions: { uid }, signal })
    await expectations.gone(deletion.catch(unlessGone), instance, signal)
    const note = `Stopped the virtual machine by deleting the virtual machine instance ${uid}`
    recorder.record({ regarding: vm, type: 'Normal', reason: 'SuccessfulDelete', note })
  }

  const start = async (vm: VirtualMachine, run: ReconcileContext) => {
    if (isConditionTrue(vm.status?.conditions, MANUAL_RECOVERY_REQUIRED)) return
    if (!(await ensureDataVolumes(vm, context, recorder, run))) return
    const { client, signal } = run
    try {
      const draft = newInstance(vm, await keepRevision(vm, revisions, run))
      const created = await expectations.after(client.create(VirtualMachineInstance, draft, { signal }), signal)
      const note = `Started the virtual machine by creating the new virtual machine instance ${created.metadata.name}`
      recorder.record({ regarding: vm, type: 'Normal', reason: 'SuccessfulCreate', note })
    } catch (error) {
      const note = `Error creating virtual machine instance: ${messageOf(error)}`
      recorder.record({ regarding: vm, type: 'Warning', reason: 'FailedCreate', note })
      throw error
    }
  }

  /** Does what the run strategy wants. */
  const follow = async (
    vm: VirtualMachine,
    instance: VirtualMachineInstance | undefined,
    run: ReconcileContext,
  ): Promise<Outcome> => {
    const { client, clock, signal } = run
    if (vm.metadata.annotations?.[IMMEDIATE_DATA_VOLUMES_ANNOTATION] !== 'false') {
      const isReady = await ensureDataVolumes(vm, context, recorder, run)
      if (!isReady && runStrategyOf(vm) !== 'Halted') return {}
    }
    const decision = decide(vm, instance, clock.now())
    switch (decision.action) {
      case 'start':
        await start(vm, run)
        return {}
      case 'stop':
        if (instance !== undefined) await stop(vm, instance, run)
        return { startsAgain: decision.again === true }
      case 'run': {
        const spec = vm.spec.runStrategy === undefined ? { running: true } : { runStrategy: 'Always' }
        await client.patch(VirtualMachine, vm.metadata, { spec }, { signal })
        return {}
      }
      case 'wait':
        return { again: decision.until }
      case 'none':
        return {}
    }
  }

  const end = async (
    vm: VirtualMachine,
    instance: VirtualMachineInstance | undefined,
    run: ReconcileContext,
  ): Promise<void> => {
    if (instance !== undefined && !hasFinalizer(vm, ORPHAN)) return stop(vm, instance, run)
    await removeFinalizer(run.client, VirtualMachine, vm, VM_FINALIZER, { signal: run.signal })
  }

  const report = async (
    vm: VirtualMachine,
    { startsAgain = false }: Outcome,
    failure: { readonly reason: string; readonly message: string } | undefined,
    { client, clock, signal }: ReconcileContext,
  ) => {
    const { namespace } = vm.metadata
    const found = instances.get(vm.metadata)
    const instance = found !== undefined && controllerOf(found)?.uid === vm.metadata.uid ? found : undefined
    const statusOf = (current: VirtualMachine) => {
      const template = current.spec.template.spec
      const status = vmStatusOf(current, {
        instance,
        dataVolumes: dataVolumesOf(template, namespace, dataVolumes),
        hasUnboundClaim: hasUnboundClaim(template, namespace, claims),
        needsRestart: needsRestart(current, instance, revisions),
        failure,
        now: clock.now(),
        random: context.random,
      })
      return startsAgain ? { ...status, stateChangeRequests: [{ action: START }] } : status
    }
    try {
      await writeStatus(client, VirtualMachine, vm, statusOf, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    // The end of the instance is recorded: it can go.
    if (instance !== undefined && isFinal(instance)) {
      await removeFinalizer(client, VirtualMachineInstance, instance, VM_FINALIZER, { signal })
    }
  }

  return {
    name: COMPONENT,
    concurrency: 10,
    wakes: [
      each(vms),
      each(instances, byController(VirtualMachine)),
      each(instances, ({ metadata }) => (controllerOf({ metadata }) === undefined ? metadata : undefined)),
      each(dataVolumes, ({ metadata }) => usersOf(vms.list(metadata.namespace), metadata.name)),
      each(claims, ({ metadata }) => usersOf(vms.list(metadata.namespace), metadata.name)),
    ],
    async reconcile(ref, run) {
      const found = vms.get(ref)
      if (found === undefined) return
      const { client, signal } = run
      const vm = isBeingDeleted(found)
        ? found
        : await addFinalizer(client, VirtualMachine, found, VM_FINALIZER, { signal })
      const instance = await instanceOf(vm, run)
      if (isBeingDeleted(vm)) {
        await report(vm, {}, undefined, run)
        return end(vm, instance, run)
      }
      let outcome: Outcome = {}
      try {
        outcome = await follow(vm, instance, run)
      } catch (error) {
        if (signal.aborted) throw error
        await report(vm, {}, { reason: 'FailedCreate', message: messageOf(error) }, run)
        throw error
      }
      await report(vm, outcome, undefined, run)
      return outcome.again === undefined ? undefined : requeueAt(outcome.again)
    },
  }
}

/** Returns the VirtualMachines that use a claim or a DataVolume. */
function usersOf(vms: readonly VirtualMachine[], claim: string): ObjectRef[] {
  return vms
    .filter(
      ({ spec }) =>
        claimNames(spec.template.spec).includes(claim) ||
        spec.dataVolumeTemplates?.some(({ metadata }) => metadata?.name === claim) === true,
    )
    .map(({ metadata }) => metadata)
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
