import { PersistentVolumeClaim } from '@orrery/kinds'
import { findCondition, isForbidden } from '@orrery/kinds/values'
import {
  byController,
  type ControllerSpec,
  each,
  isBeingDeleted,
  type ReconcileContext,
  requeueAt,
  writeStatus,
} from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { isOwnedBy } from '@orrery/kube/write'
import { messageOf } from '../../workloads/pod-control.js'
import { classOf, waitsForConsumer } from '../../workloads/storage/claim.js'
import { SELECTED_NODE } from '../../workloads/storage/names.js'
import type { KubevirtContext } from '../context.js'
import { DataVolume } from '../kinds/data-volume.js'
import type { Transfers } from '../machine/transfers.js'
import { BIND_IMMEDIATELY_ANNOTATION } from '../names.js'
import { claimNames } from '../volumes.js'
import { claimFor } from './claim.js'
import { boundStatus, type DataVolumeReport, type Obstacle, waitingStatus } from './status.js'
import { transferOf } from './transfer.js'

const COMPONENT = 'datavolume-controller'

/** Creates the claims of DataVolumes and plays the transfer of their data (the DataVolume controllers of CDI). */
export function dataVolumeController(context: KubevirtContext): ControllerSpec {
  const { dataVolumes, claims, instances, storageClasses, transfers } = context
  const recorder = context.recorder(COMPONENT)
  const expectations = context.expectations(PersistentVolumeClaim)

  /** Returns why a DataVolume cannot have a claim yet. */
  const missingSource = ({ metadata, spec }: DataVolume): Obstacle | undefined => {
    const { source, sourceRef } = spec
    const waits = (message: string): Obstacle => ({ phase: 'Pending', reason: 'CloneWithoutSource', message })
    if (source?.pvc !== undefined && claims.get(source.pvc) === undefined) {
      return waits(`The source pvc ${source.pvc.name} doesn't exist`)
    }
    if (source?.snapshot !== undefined) return waits(`The source snapshot ${source.snapshot.name} doesn't exist`)
    if (sourceRef === undefined) return undefined
    const { kind, name, namespace = metadata.namespace } = sourceRef
    return waits(`${kind} ${namespace}/${name} doesn't exist: an embedded cluster has none, use spec.source`)
  }

  const ensureClaim = async (
    dataVolume: DataVolume,
    { client, signal }: ReconcileContext,
  ): Promise<PersistentVolumeClaim | Obstacle> => {
    const known = claims.get(dataVolume.metadata)
    if (known !== undefined) {
      if (isOwnedBy(known, dataVolume)) return known
      const message = `Resource ${JSON.stringify(known.metadata.name)} already exists and is not managed by DataVolume`
      return { phase: 'Pending', reason: 'ErrResourceExists', message }
    }
    const obstacle = missingSource(dataVolume)
    if (obstacle !== undefined) return obstacle
    try {
      return await expectations.after(client.create(PersistentVolumeClaim, claimFor(dataVolume), { signal }), signal)
    } catch (error) {
      if (!isForbidden(error)) throw error
      return { phase: 'Pending', reason: 'ErrExceededQuota', message: messageOf(error) }
    }
  }

  /** Lets the claim be bound if something uses it: the node of the machine is chosen. */
  const bind = async (
    dataVolume: DataVolume,
    claim: PersistentVolumeClaim,
    { client, signal }: ReconcileContext,
  ): Promise<Obstacle> => {
    const { namespace, name, uid } = claim.metadata
    const pending = { reason: 'Pending', message: `PVC ${name} Pending` }
    if (!waitsForConsumer(storageClasses.get({ name: classOf(claim) }))) return { phase: 'Pending', ...pending }
    const isImmediate = dataVolume.metadata.annotations?.[BIND_IMMEDIATELY_ANNOTATION] === 'true'
    const isUsed = instances.list(namespace).some(({ spec }) => claimNames(spec).includes(name))
    if (!isImmediate && !isUsed) return { phase: 'WaitForFirstConsumer', ...pending }
    if (claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
      const metadata = { uid, annotations: { [SELECTED_NODE]: context.nodeName } }
      await client.patch(PersistentVolumeClaim, { namespace, name }, { metadata }, { signal })
    }
    return { phase: 'Pending', ...pending }
  }

  const reportOf = async (dataVolume: DataVolume, run: ReconcileContext): Promise<DataVolumeReport> => {
    const now = run.clock.now()
    const claim = await ensureClaim(dataVolume, run)
    if ('reason' in claim) {
      recorder.record({ regarding: dataVolume, type: 'Warning', reason: claim.reason, note: claim.message })
      return waitingStatus(dataVolume, claim, now)
    }
    if (claim.status?.phase === 'Bound') {
      return boundStatus(dataVolume, claim, transfers?.look(dataVolume, claim), now)
    }
    return waitingStatus(dataVolume, await bind(dataVolume, claim, run), now)
  }

  const recordPhase = (dataVolume: DataVolume, { status: { phase = '', conditions }, played }: DataVolumeReport) => {
    const running = findCondition(conditions, 'Running')
    if (running?.reason === 'Error' && phase !== 'Failed') {
      recorder.record({ regarding: dataVolume, type: 'Warning', reason: 'Error', note: running.message ?? '' })
    }
    if (dataVolume.status?.phase === phase) return
    const { name } = dataVolume.metadata
    const { name: transfer, scheduled, inProgress, succeeded, failed } = transferOf(dataVolume.spec)
    const record = (type: 'Normal' | 'Warning', reason: string, note: string) =>
      recorder.record({ regarding: dataVolume, type, reason, note })
    if (phase === scheduled) record('Normal', scheduled, `${transfer} into ${name} scheduled`)
    if (phase === inProgress) record('Normal', inProgress, `${transfer} into ${name} in progress`)
    if (phase === 'Failed') record('Warning', failed, `${transfer} into PVC ${name} failed`)
    if (phase !== 'Succeeded') return
    record('Normal', succeeded, `${transfer} into PVC ${name} succeeded`)
    if (played !== undefined) record('Normal', 'Played', played)
  }

  return {
    name: COMPONENT,
    concurrency: 5,
    wakes: [
      each(dataVolumes),
      each(claims, byController(DataVolume)),
      // A clone waits for its source, and a claim for the instance that uses it.
      each(claims, ({ metadata }) =>
        dataVolumes
          .list()
          .filter((one) => isCloneOf(one, metadata))
          .map(refOf),
      ),
      each(instances, ({ metadata, spec }) =>
        claimNames(spec).map((name) => ({ namespace: metadata.namespace, name })),
      ),
      ...(transfers === undefined ? [] : [progressOf(context, transfers)]),
    ],
    async reconcile(ref, run) {
      const dataVolume = dataVolumes.get(ref)
      const { phase } = dataVolume?.status ?? {}
      const isDone = phase === 'Succeeded' || phase === 'Failed'
      if (dataVolume === undefined || isBeingDeleted(dataVolume) || isDone) return transfers?.forget(ref)
      const report = await reportOf(dataVolume, run)
      await writeStatus(run.client, DataVolume, dataVolume, () => report.status, { signal: run.signal })
      recordPhase(dataVolume, report)
      return report.again === undefined ? undefined : requeueAt(report.again)
    },
  }
}

/** Wakes the controller for the progress of transfers. */
function progressOf({ dataVolumes }: KubevirtContext, transfers: Transfers): Wake {
  return {
    informer: dataVolumes,
    target: DataVolume,
    start: (enqueue) => transfers.onChange((ref) => enqueue(ref, 'fresh')),
    resync: () => undefined,
  }
}

function isCloneOf({ spec }: DataVolume, { namespace, name }: PersistentVolumeClaim['metadata']): boolean {
  return spec.source?.pvc?.name === name && spec.source.pvc.namespace === namespace
}

function refOf({ metadata: { name, namespace } }: DataVolume) {
  return { name, namespace }
}
