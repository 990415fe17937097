import type { PersistentVolumeClaim } from '@orrery/kinds'
import { type Finding, findCondition, setConditions } from '@orrery/kinds/values'
import { PLAYED_CONDITION } from '../../conditions.js'
import type { DataVolume, DataVolumeStatus } from '../kinds/data-volume.js'
import { latest } from '../times.js'
import { type Progress, progressOf } from './progress.js'
import { transferOf } from './transfer.js'

export const PLAYED_MESSAGE = 'This node does not transfer data: the volume is empty, the status is played'

/** Why a DataVolume has no bound claim. */
export interface Obstacle {
  readonly phase: 'Pending' | 'WaitForFirstConsumer'
  readonly reason: string
  readonly message: string
}

export interface DataVolumeReport {
  readonly status: DataVolumeStatus
  /** When it changes next. */
  readonly again?: Date
}

/** Returns the status of a DataVolume whose claim is not bound. */
export function waitingStatus(
  dataVolume: DataVolume,
  { phase, reason, message }: Obstacle,
  now: Date,
): DataVolumeReport {
  const findings: Finding[] = [
    { type: 'Bound', status: 'False', reason, message },
    { type: 'Ready', status: 'False', reason: '' },
    { type: 'Running', status: 'False', reason: '' },
  ]
  const { status: before = {} } = dataVolume
  const conditions = setConditions(before.conditions, findings, now)
  return { status: { ...before, claimName: dataVolume.metadata.name, phase, progress: 'N/A', conditions } }
}

/** Returns the status of a DataVolume whose claim is bound. The transfer starts when it is first seen bound. */
export function boundStatus(dataVolume: DataVolume, claim: PersistentVolumeClaim, now: Date): DataVolumeReport {
  const { status: before = {} } = dataVolume
  const { name } = claim.metadata
  const known = findCondition(before.conditions, 'Bound')
  const since =
    known?.status === 'True' && known.lastTransitionTime !== undefined ? latest(known.lastTransitionTime) : now
  const { phase, progress, again } = progressOf(dataVolume, since, now)
  const findings: Finding[] = [
    { type: 'Bound', status: 'True', reason: 'Bound', message: `PVC ${name} Bound` },
    ...transferFindings(dataVolume, { phase, progress }),
    { type: PLAYED_CONDITION, status: 'True', reason: 'NoTransfer', message: PLAYED_MESSAGE },
  ]
  const conditions = setConditions(before.conditions, findings, now)
  const { restartCount = 0 } = before
  const status = { ...before, claimName: name, phase, progress, restartCount, conditions }
  return { status, ...(again !== undefined && { again }) }
}

function transferFindings({ spec }: DataVolume, { phase }: Progress): Finding[] {
  const { scheduled } = transferOf(spec)
  if (phase === 'Succeeded') {
    return [
      { type: 'Ready', status: 'True', reason: '' },
      { type: 'Running', status: 'False', reason: 'Completed' },
    ]
  }
  if (phase === 'Failed') {
    return [
      { type: 'Ready', status: 'False', reason: '' },
      { type: 'Running', status: 'False', reason: 'Error' },
    ]
  }
  return [
    { type: 'Ready', status: 'False', reason: 'TransferRunning' },
    { type: 'Running', status: phase === scheduled ? 'False' : 'True', reason: phase },
  ]
}
