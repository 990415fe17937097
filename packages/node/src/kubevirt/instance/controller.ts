import type { JsonObject, ObjectRef, Pod } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import {
  byController,
  type ControllerSpec,
  each,
  isBeingDeleted,
  type ReconcileContext,
  removeFinalizer,
  requeueAt,
} from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { controllerOf, mergePatchOf, patchLocked } from '@orrery/kube/write'
import { controlledBy } from '../../workloads/ownership.js'
import { messageOf, PodControl } from '../../workloads/pod-control.js'
import type { KubevirtContext } from '../context.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { INSTANCE_FINALIZER, NODE_NAME_LABEL, VM_FINALIZER } from '../names.js'
import { restOfGrace } from '../times.js'
import { isFinal } from '../vm/run-strategy.js'
import { claimNames, dataVolumesOf } from '../volumes.js'
import { recordPhase } from './events.js'
import { endLauncher, syncUnpausedGate } from './launcher.js'
import { DEFAULT_GRACE_SECONDS, launcherPod } from './launcher-pod.js'
import { type InstancePhase, isEnding, phaseOf } from './phase.js'
import { instanceStatusOf } from './status.js'

const COMPONENT = 'virtualmachineinstance-controller'

const podWording = {
  created: (name: string) => `Created virtual machine pod ${name}`,
  createFailed: (_: string, why: string) => `Error creating pod: ${why}`,
  deleted: (name: string) => `Deleted virtual machine pod ${name}`,
  deleteFailed: (name: string, why: string) => `Failed to delete virtual machine pod ${name}: ${why}`,
}

interface Problem {
  readonly reason: string
  readonly message: string
}

/**
 * Runs instances: creates their pods, and starts and stops their machines (KubeVirt: the VMI controller of
 * virt-controller, and virt-handler).
 */
export function instanceController(context: KubevirtContext): ControllerSpec {
  const { instances, vms, dataVolumes, claims, quotas, machines, launcherPods } = context
  const recorder = context.recorder(COMPONENT)

  const podOf = (instance: VirtualMachineInstance): Pod | undefined => {
    const pods = controlledBy(launcherPods, instance)
    return pods.find((pod) => !isBeingDeleted(pod)) ?? pods[0]
  }

  /** Creates the pod once the data is there. Returns what is missing. */
  const ensurePod = async (instance: VirtualMachineInstance, run: ReconcileContext): Promise<Problem | undefined> => {
    const { namespace } = instance.metadata
    const volumes = dataVolumesOf(instance.spec, namespace, dataVolumes)
    if (volumes.some(({ status }) => status?.phase !== 'Succeeded')) return undefined
    const missing = claimNames(instance.spec).find((name) => claims.get({ namespace, name }) === undefined)
    if (missing !== undefined) {
      const message = `persistentvolumeclaim ${JSON.stringify(missing)} not found`
      recorder.record({ regarding: instance, type: 'Warning', reason: 'FailedPvcNotFound', note: message })
      return { reason: 'FailedPvcNotFound', message }
    }
    const pods = new PodControl(context, recorder, instance, run.signal, podWording)
    await pods.create(launcherPod(instance, quotas.list(namespace)))
    return undefined
  }

  const deletePods = async (instance: VirtualMachineInstance, { signal }: ReconcileContext) => {
    const pods = new PodControl(context, recorder, instance, signal, podWording)
    for (const pod of controlledBy(launcherPods, instance)) if (!isBeingDeleted(pod)) await pods.delete(pod)
  }

  /** Deletes what is left of an instance that has ended, and lets it go. */
  const finish = async (instance: VirtualMachineInstance, run: ReconcileContext) => {
    await machines.forget(instance.metadata)
    if (isBeingDeleted(instance)) await deletePods(instance, run)
    const { client, signal } = run
    if (!isBeingDeleted(instance) || controlledBy(launcherPods, instance).length > 0) return
    const owner = controllerOf(instance)
    const vm = owner === undefined ? undefined : vms.get({ ...instance.metadata, name: owner.name })
    if (vm?.metadata.uid !== owner?.uid || vm === undefined) {
      await removeFinalizer(client, VirtualMachineInstance, instance, VM_FINALIZER, { signal })
    }
    await removeFinalizer(client, VirtualMachineInstance, instance, INSTANCE_FINALIZER, { signal })
  }

  /** Writes the status. Returns when the machine changes next. */
  const report = async (
    instance: VirtualMachineInstance,
    problem: Problem | undefined,
    { client, clock, signal }: ReconcileContext,
  ): Promise<Date | undefined> => {
    const now = clock.now()
    const started = instance.status?.phase === 'Scheduled' || instance.status?.phase === 'Running'
    const machine = started ? machines.of(instance) : machines.find(instance)
    if (machine !== undefined && isBeingDeleted(instance) && !isFinal(instance)) machine.stop(restOf(instance, now))
    const look = machine?.look(instance, now)
    const pod = podOf(instance)
    const volumes = dataVolumesOf(instance.spec, instance.metadata.namespace, dataVolumes)
    const known = { pod, dataVolumes: volumes, look, problem, played: machine?.played, now, claims }
    const phase = phaseOf(instance, known)
    const patchOf = (current: VirtualMachineInstance): JsonObject | undefined => {
      const status = mergePatchOf(current.status ?? {}, instanceStatusOf(current, { ...known, phase }))
      const node = phase === 'Scheduled' ? pod?.spec.nodeName : undefined
      const isLabelled = node === undefined || current.metadata.labels?.[NODE_NAME_LABEL] === node
      if (status === undefined && isLabelled) return undefined
      return { ...(status && { status }), ...(!isLabelled && { metadata: { labels: { [NODE_NAME_LABEL]: node } } }) }
    }
    const written = await patchLocked(client, VirtualMachineInstance, instance, patchOf, { signal })
    if (pod !== undefined && !isEnding(pod)) {
      await syncUnpausedGate(client, pod, look?.state === 'paused', now, signal)
    }
    if (phase === instance.status?.phase) return look?.again
    recordPhase(recorder, instance, phase, look?.exit, machine?.played)
    return enter(written, phase, pod, { client, clock, signal })
  }

  /** Does what a new phase needs. Returns when the machine changes next. */
  const enter = async (
    instance: VirtualMachineInstance,
    phase: InstancePhase,
    pod: Pod | undefined,
    { client, clock, signal }: Pick<ReconcileContext, 'client' | 'clock' | 'signal'>,
  ): Promise<Date | undefined> => {
    if (phase === 'Scheduled') return machines.start(instance).look(instance, clock.now()).again
    const isFailure = phase === 'Failed'
    if ((isFailure || phase === 'Succeeded') && pod !== undefined) {
      await endLauncher(client, pod, isFailure, clock.now(), signal)
    }
    return machines.find(instance)?.look(instance, clock.now()).again
  }

  return {
    name: COMPONENT,
    concurrency: 10,
    wakes: [
      each(instances),
      each(launcherPods, byController(VirtualMachineInstance)),
      each(dataVolumes, ({ metadata }) => usersOf(instances.list(metadata.namespace), metadata.name)),
      each(claims, ({ metadata }) => usersOf(instances.list(metadata.namespace), metadata.name)),
      // An instance whose owner is gone no longer waits for it.
      each(vms, ({ metadata }) => metadata),
      happenings(context),
    ],
    async reconcile(ref, run) {
      const instance = instances.get(ref)
      if (instance === undefined) return machines.forget(ref)
      const { phase = 'Pending' } = instance.status ?? {}
      if (isFinal(instance)) return finish(instance, run)
      if (phase === 'Scheduling' && isBeingDeleted(instance)) await deletePods(instance, run)
      let problem: Problem | undefined
      let failure: unknown
      if (phase === 'Pending' && !isBeingDeleted(instance) && podOf(instance) === undefined) {
        try {
          problem = await ensurePod(instance, run)
        } catch (error) {
          if (run.signal.aborted) throw error
          problem = { reason: 'FailedCreate', message: `failed to create virtual machine pod: ${messageOf(error)}` }
          failure = error
        }
      }
      try {
        const again = await report(instance, problem, run)
        if (failure === undefined) return again === undefined ? undefined : requeueAt(again)
      } catch (error) {
        if (!isNotFound(error)) throw error
        return undefined
      }
      throw failure
    },
  }
}

/** Returns how long the guest of an instance that is being deleted may still take. */
function restOf({ metadata, spec }: VirtualMachineInstance, now: Date): number {
  const { terminationGracePeriodSeconds: grace = DEFAULT_GRACE_SECONDS } = spec
  return restOfGrace(grace, metadata.deletionTimestamp ?? '', now)
}

function usersOf(instances: readonly VirtualMachineInstance[], claim: string): ObjectRef[] {
  return instances.filter(({ spec }) => claimNames(spec).includes(claim)).map(({ metadata }) => metadata)
}

/** Wakes the controller for events of machines. */
function happenings({ instances, machines }: KubevirtContext): Wake {
  return {
    informer: instances,
    target: VirtualMachineInstance,
    start: (enqueue) => machines.onChange((ref) => enqueue(ref, 'fresh')),
    resync: () => undefined,
  }
}
