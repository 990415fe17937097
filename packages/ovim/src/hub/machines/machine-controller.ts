import type { ObjectRef } from '@orrery/kinds'
import {
  addFinalizer,
  type ControllerSpec,
  each,
  hasFinalizer,
  isBeingDeleted,
  isConflict,
  type KubeClient,
  removeFinalizer,
  requeueAt,
  writeStatus,
} from '@orrery/kube'
import type { NewEvent } from '@orrery/kube/events'
import type { ManagerContext } from '@orrery/kube/manager'
import { organizationOf, SYSTEM_NAMESPACE, VM_FINALIZER } from '../../kinds/names.js'
import { Operation } from '../../kinds/operation.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest, type VirtualMachineRequestStatus } from '../../kinds/virtual-machine-request.js'
import { cancel, mayHaveRun, type NewTask, ObjectOperations } from '../operations/object-operations.js'
import { retryTime } from '../operations/retry.js'
import { isFinished, phaseOf } from '../queue/operation-state.js'
import { type Admitted, isRefusal, MachineAdmission } from './admission.js'
import { readyStatus, refusedStatus, scheduledStatus, waitingStatus } from './machine-conditions.js'
import { createPayload, machineTarget, specHash, updatePayload } from './machine-payload.js'
import { isUnsettled, settledStatus } from './machine-settling.js'
import { nextTask } from './next-task.js'

/** Brings virtual machines to their specification, one operation at a time. */
export function machineController({ informers, clock, events }: ManagerContext): ControllerSpec {
  const requests = informers.of(VirtualMachineRequest)
  const operations = informers.of(Operation)
  const admission = new MachineAdmission(informers)
  const tasks = new ObjectOperations(operations, VirtualMachineRequest)

  const write = (
    client: KubeClient,
    request: VirtualMachineRequest,
    statusOf: (current: VirtualMachineRequest) => VirtualMachineRequestStatus | undefined,
  ) => writeStatus(client, VirtualMachineRequest, request, statusOf)

  const start = async (
    client: KubeClient,
    request: VirtualMachineRequest,
    task: NewTask,
    last: Operation | undefined,
  ) => {
    const operation = await tasks.start(client, request, task, last)
    return write(client, request, (current) => ({
      ...settledStatus(current, operation, clock.now()),
      observedGeneration: current.metadata.generation ?? 0,
    }))
  }

  /** Records what became of the last operation. */
  const settle = async (client: KubeClient, request: VirtualMachineRequest, last: Operation) => {
    const after = await write(client, request, (current) =>
      isUnsettled(current, last) ? settledStatus(current, last, clock.now()) : current.status,
    )
    if (isFinished(last)) events.record(eventOf(after, last))
    return after
  }

  const remove = async (client: KubeClient, request: VirtualMachineRequest, last: Operation | undefined) => {
    if (!hasFinalizer(request, VM_FINALIZER)) return
    const { zone, operation } = request.status ?? {}
    const isDeleted = last?.spec.type === 'VMDelete' && phaseOf(last) === 'Completed'
    const wasCancelled = last?.spec.type === 'VMCreate' && isFinished(last) && !mayHaveRun(last)
    const wasNeverThere =
      zone === undefined ||
      (last === undefined ? operation === undefined : wasCancelled && request.status?.created !== true)
    const isZoneGone = zone !== undefined && admission.chooser.zones.get({ name: zone }) === undefined
    if (isZoneGone && !isDeleted && !wasNeverThere) {
      const note = `zone ${zone} does not exist any more: the virtual machine may still exist on its cluster`
      events.record({ regarding: request, type: 'Warning', reason: 'ZoneGone', note })
    }
    if (isDeleted || wasNeverThere || isZoneGone) {
      await removeFinalizer(client, VirtualMachineRequest, request, VM_FINALIZER)
      return
    }
    const isRepeated = last?.spec.type === 'VMDelete'
    const wait = isRepeated ? retryTime(operation, clock.now()) : undefined
    if (wait !== undefined) return requeueAt(wait)
    const deleting = await write(client, request, ({ status = {} }) => ({ ...status, phase: 'deleting' }))
    await start(client, deleting, { type: 'VMDelete', zone, payload: { ...machineTarget(request) } }, last)
    return
  }

  /** Fixes where the virtual machine is, before an agent can create it there. */
  const schedule = async (client: KubeClient, request: VirtualMachineRequest, { vdc }: Admitted) => {
    const kept = await addFinalizer(client, VirtualMachineRequest, request, VM_FINALIZER)
    return write(client, kept, (current) => scheduledStatus(current, vdc, clock.now()))
  }

  const taskOf = (request: VirtualMachineRequest, admitted: Admitted | undefined): NewTask | undefined => {
    const spec = specHash(request)
    const type = nextTask(request, spec)
    const zone = request.status?.zone ?? ''
    const organization = organizationOf(request.metadata.namespace) ?? ''
    const { restartedAt } = request.spec
    const restart = restartedAt === undefined ? {} : { restart: restartedAt }
    switch (type) {
      case undefined:
        return undefined
      case 'VMCreate': {
        if (admitted === undefined) return undefined
        const payload = { ...createPayload(request, admitted.template, organization) } as never
        return { type, zone, payload, effect: { spec, ...restart } }
      }
      case 'VMUpdate':
        return { type, zone, payload: { ...updatePayload(request, organization) } as never, effect: { spec } }
      case 'VMStart':
      case 'VMRestart':
        return { type, zone, payload: { ...machineTarget(request) }, effect: restart }
      default:
        return { type, zone, payload: { ...machineTarget(request) } }
    }
  }

  const refs = (chosen: (request: VirtualMachineRequest) => boolean, namespace?: string): ObjectRef[] =>
    requests.list(namespace).flatMap((request) => (chosen(request) ? [refOf(request)] : []))
  const isNotCreated = ({ status }: VirtualMachineRequest) => status?.created !== true

  return {
    name: 'ovim-machine',
    concurrency: 16,
    flowOf: ({ namespace = '' }) => namespace,
    wakes: [
      each(requests),
      each(operations, tasks.ownerOf),
      each(
        admission.vdcs,
        ({ metadata: { namespace, name } }) =>
          refs((one) => isNotCreated(one) && (one.spec.vdc ?? name) === name, namespace),
        { when: vdcChanged },
      ),
      each(admission.templates, ({ metadata: { namespace, name } }) =>
        refs(
          (one) =>
            isNotCreated(one) &&
            one.spec.template === name &&
            (namespace === SYSTEM_NAMESPACE || namespace === one.metadata.namespace),
        ),
      ),
      each(admission.organizations, ({ metadata: { name } }) =>
        refs((one) => isNotCreated(one) && organizationOf(one.metadata.namespace) === name),
      ),
      each(admission.catalogs, () => refs(isNotCreated)),
      each(admission.chooser.zones, () => refs((one) => isNotCreated(one) || isBeingDeleted(one)), {
        when: zoneChanged,
      }),
      each(admission.chooser.decisions, () => refs((one) => isNotCreated(one) && one.spec.placementRef !== undefined)),
      // A machine that is gone makes room in its quota.
      each(requests, ({ metadata: { namespace } }) => refs(isNotCreated, namespace), {
        when: ({ type }) => type === 'deleted',
      }),
    ],
    async reconcile(ref, { client }) {
      const found = requests.get(ref)
      if (found === undefined) return
      const last = await tasks.last(client, found)
      const request = last !== undefined && isUnsettled(found, last) ? await settle(client, found, last) : found
      if (last !== undefined && !isFinished(last)) {
        if (!isBeingDeleted(request) || mayHaveRun(last) || last.spec.type === 'VMDelete') return
        // An agent that takes it at the same time wins: the deletion waits for its result.
        await cancel(client, last, 'the virtual machine is being deleted', clock).catch((error) => {
          if (!isConflict(error)) throw error
        })
        return
      }
      if (isBeingDeleted(request)) return remove(client, request, last)
      let admitted: Admitted | undefined
      let current = request
      if (request.status?.created !== true) {
        const answer = admission.admit(request)
        if (isRefusal(answer)) {
          await write(client, request, (one) => refusedStatus(one, answer, clock.now()))
          return
        }
        if (answer.vdc.status?.phase !== 'Active') {
          await write(client, request, (one) => waitingStatus(one, answer.vdc, clock.now()))
          return
        }
        if (request.status?.zone === undefined) current = await schedule(client, request, answer)
        admitted = answer
      }
      const task = taskOf(current, admitted)
      if (task === undefined) {
        await write(client, current, (one) => readyStatus(one, clock.now()))
        return
      }
      const isChanged = current.metadata.generation !== current.status?.observedGeneration
      const wait = isChanged ? undefined : retryTime(current.status?.operation, clock.now())
      if (wait !== undefined) return requeueAt(wait)
      await start(client, current, task, last)
      return
    },
  }
}

/** What users see in the events of the organization. */
function eventOf(request: VirtualMachineRequest, operation: Operation): NewEvent {
  const isComplete = phaseOf(operation) === 'Completed'
  const { type } = operation.spec
  const note = isComplete ? `${type} completed` : `${type} failed: ${operation.status?.error ?? 'no reason given'}`
  return {
    regarding: request,
    type: isComplete ? 'Normal' : 'Warning',
    reason: isComplete ? type : `${type}Failed`,
    note,
  }
}

/** Agents report the usage of a data center all the time: it does not decide whether machines can be created. */
function vdcChanged({ before, after }: { before?: VdcView | undefined; after?: VdcView | undefined }): boolean {
  return (
    before === undefined ||
    after === undefined ||
    before.metadata.generation !== after.metadata.generation ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.status?.phase !== after.status?.phase ||
    before.status?.message !== after.status?.message ||
    before.status?.zone !== after.status?.zone
  )
}

type VdcView = Pick<VirtualDataCenter, 'metadata' | 'status'>

/** Only whether a zone can take machines matters, not its usage. */
function zoneChanged({ before, after }: { before?: ZoneView | undefined; after?: ZoneView | undefined }): boolean {
  const view = (zone: ZoneView | undefined) =>
    JSON.stringify(zone?.status?.conditions?.map(({ type, status }) => [type, status]))
  return before === undefined || after === undefined || view(before) !== view(after)
}

interface ZoneView {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

function refOf({ metadata: { namespace, name } }: VirtualMachineRequest): ObjectRef {
  return { namespace, name }
}
