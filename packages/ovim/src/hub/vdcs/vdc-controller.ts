import type { ObjectRef } from '@orrery/kinds'
import { setConditions } from '@orrery/kinds/values'
import {
  addFinalizer,
  type ControllerSpec,
  each,
  hasFinalizer,
  isBeingDeleted,
  type KubeClient,
  removeFinalizer,
  requeueAt,
  writeStatus,
} from '@orrery/kube'
import type { ManagerContext } from '@orrery/kube/manager'
import { VDC_FINALIZER } from '../../kinds/names.js'
import { Operation } from '../../kinds/operation.js'
import { Organization } from '../../kinds/organization.js'
import { VirtualDataCenter, type VirtualDataCenterStatus } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'
import { cancel, mayHaveRun, ObjectOperations } from '../operations/object-operations.js'
import { retryTime } from '../operations/retry.js'
import { ZoneChooser } from '../placing/zone-choice.js'
import { isFinished, phaseOf } from '../queue/operation-state.js'
import { vdcOfRequest, vdcsOfRequest } from './vdc-index.js'
import { locationOf, VdcLocator } from './vdc-location.js'
import { hashOf, vdcPayload, vdcTarget } from './vdc-payload.js'
import { ready, settledVdcStatus, withPhase } from './vdc-settling.js'

const BY_VDC = 'vdc'

/** Creates, changes and deletes virtual data centers on their clusters, one operation at a time. */
export function vdcController({ informers, clock, events }: ManagerContext): ControllerSpec {
  const vdcs = informers.of(VirtualDataCenter)
  const requests = informers.of(VirtualMachineRequest)
  const operations = informers.of(Operation)
  const chooser = new ZoneChooser(informers)
  const organizations = informers.of(Organization)
  const locator = new VdcLocator(vdcs, organizations, chooser)
  const tasks = new ObjectOperations(operations, VirtualDataCenter)
  requests.addIndex(BY_VDC, vdcsOfRequest)

  const write = (
    client: KubeClient,
    vdc: VirtualDataCenter,
    statusOf: (current: VirtualDataCenter) => VirtualDataCenterStatus,
  ) => writeStatus(client, VirtualDataCenter, vdc, statusOf)

  const report = (
    client: KubeClient,
    vdc: VirtualDataCenter,
    phase: VirtualDataCenterStatus['phase'],
    reason: string,
    message: string,
  ) =>
    write(client, vdc, ({ status = {}, metadata }) => ({
      ...withPhase(status, phase, message),
      observedGeneration: metadata.generation ?? 0,
      conditions: setConditions(status.conditions, [ready(phase === 'Active', reason, message)], clock.now()),
    }))

  /** Records what became of the last operation. */
  const settle = (client: KubeClient, vdc: VirtualDataCenter, last: Operation): Promise<VirtualDataCenter> =>
    write(client, vdc, (current) => settledVdcStatus(current, last, clock.now()))

  const remove = async (client: KubeClient, vdc: VirtualDataCenter, last: Operation | undefined) => {
    if (!hasFinalizer(vdc, VDC_FINALIZER)) return
    const count = requests.byIndex(BY_VDC, `${vdc.metadata.namespace}/${vdc.metadata.name}`).length
    if (count > 0) {
      const message = `contains ${count} virtual machine${count === 1 ? '' : 's'}: delete ${count === 1 ? 'it' : 'them'} first`
      await report(client, vdc, 'DeletionPending', 'VirtualMachinesExist', message)
      return
    }
    const zone = vdc.status?.zone
    const isDeleted = last?.spec.type === 'VDCDelete' && phaseOf(last) === 'Completed'
    const wasNeverThere = zone === undefined || (last === undefined && vdc.status?.operation === undefined)
    const isZoneGone = zone !== undefined && chooser.zones.get({ name: zone }) === undefined
    if (isZoneGone && !isDeleted && !wasNeverThere) {
      const note = `zone ${zone} does not exist any more: the virtual data center may still exist on its cluster`
      events.record({ regarding: vdc, type: 'Warning', reason: 'ZoneGone', note })
    }
    if (isDeleted || wasNeverThere || isZoneGone) {
      await removeFinalizer(client, VirtualDataCenter, vdc, VDC_FINALIZER)
      return
    }
    const wait = retryTime(vdc.status?.operation, clock.now())
    if (wait !== undefined) return requeueAt(wait)
    const location = locationOf(vdc)
    const operation = await tasks.start(
      client,
      vdc,
      { type: 'VDCDelete', zone, payload: { ...vdcTarget(vdc, location) } },
      last,
    )
    const next = await settle(client, vdc, operation)
    await report(client, next, 'DeletionPending', 'Deleting', `is being deleted in zone ${zone}`)
    return
  }

  return {
    name: 'ovim-vdc',
    wakes: [
      each(vdcs),
      // Another may have waited for its namespace.
      each(vdcs, () => vdcs.list().filter(isUnplaced).map(refOf), { when: ({ type }) => type === 'deleted' }),
      // It may have waited for the quota of its organization in the zone.
      each(organizations, ({ metadata }) =>
        vdcs.list(organizationNamespace(metadata.name)).filter(isNotActive).map(refOf),
      ),
      each(vdcs, ({ metadata }) => vdcs.list(metadata.namespace).filter(isNotActive).map(refOf), {
        when: ({ type, before, after }) => type === 'deleted' || (type === 'updated' && hasOtherQuota(before, after)),
      }),
      each(operations, tasks.ownerOf),
      each(requests, vdcOfRequest, { when: ({ type }) => type === 'deleted' }),
      each(chooser.zones, () => vdcs.list().filter(isUnplaced).map(refOf)),
      each(chooser.decisions, ({ metadata }) =>
        vdcs
          .list()
          .filter((vdc) => isUnplaced(vdc) && usesPlacementOf(vdc, metadata.namespace))
          .map(refOf),
      ),
    ],
    async reconcile(ref, { client }) {
      const found = vdcs.get(ref)
      if (found === undefined) return
      const last = await tasks.last(client, found)
      const vdc = last === undefined ? found : await settle(client, found, last)
      if (last !== undefined && !isFinished(last)) {
        if (!isBeingDeleted(vdc) || mayHaveRun(last) || last.spec.type === 'VDCDelete') return
        await cancel(client, last, 'the virtual data center is being deleted', clock)
        return
      }
      if (isBeingDeleted(vdc)) return remove(client, vdc, last)
      const location = locator.locate(vdc)
      if ('problem' in location) {
        const phase = vdc.status?.appliedSpec === undefined ? 'Pending' : 'Failed'
        await report(client, vdc, phase, 'NotPlaced', location.problem)
        return
      }
      const payload = vdcPayload(vdc, location)
      const wanted = hashOf(payload)
      if (vdc.status?.appliedSpec === wanted) {
        await report(client, vdc, 'Active', 'Applied', `exists in zone ${location.zone}`)
        return
      }
      const exceeded = locator.quotaProblem(vdc, location)
      if (exceeded !== undefined) {
        const phase = vdc.status?.appliedSpec === undefined ? 'Pending' : 'Failed'
        await report(client, vdc, phase, 'ZoneQuotaExceeded', exceeded)
        return
      }
      const isChanged = vdc.metadata.generation !== vdc.status?.observedGeneration
      const wait = isChanged ? undefined : retryTime(vdc.status?.operation, clock.now())
      if (wait !== undefined) return requeueAt(wait)
      await addFinalizer(client, VirtualDataCenter, vdc, VDC_FINALIZER)
      const placed = await client.get(VirtualDataCenter, ref)
      // Where it is must be known before an agent can create it there.
      const isNew = vdc.status?.appliedSpec === undefined
      const message = `is being ${isNew ? 'created' : 'changed'} in zone ${location.zone}`
      const located = await write(client, placed, ({ status = {}, metadata }) => ({
        ...withPhase(status, isNew ? 'Pending' : 'Active', message),
        zone: location.zone,
        orgNamespace: metadata.namespace,
        workloadNamespace: location.workloadNamespace,
        observedGeneration: metadata.generation ?? 0,
        conditions: setConditions(status.conditions, [ready(false, 'Applying', message)], clock.now()),
      }))
      const type = isNew ? 'VDCCreate' : 'VDCUpdate'
      const operation = await tasks.start(
        client,
        located,
        { type, zone: location.zone, payload: { ...payload } as never, effect: { spec: wanted } },
        last,
      )
      await settle(client, located, operation)
      return
    },
  }
}

function isNotActive({ status }: VirtualDataCenter): boolean {
  return status?.phase !== 'Active'
}

function hasOtherQuota(before: VirtualDataCenter | undefined, after: VirtualDataCenter | undefined): boolean {
  return JSON.stringify(before?.spec.quota) !== JSON.stringify(after?.spec.quota)
}

function isUnplaced({ status }: VirtualDataCenter): boolean {
  return status?.zone === undefined
}

function usesPlacementOf({ metadata, spec }: VirtualDataCenter, namespace: string): boolean {
  return spec.placementRef !== undefined && (spec.placementRef.namespace ?? metadata.namespace) === namespace
}

function refOf({ metadata: { namespace, name } }: VirtualDataCenter): ObjectRef {
  return { namespace, name }
}
