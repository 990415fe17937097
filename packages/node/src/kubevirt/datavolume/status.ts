import type { PersistentVolumeClaim } from '@orrery/kinds'
import { type Finding, findCondition, setConditions } from '@orrery/kinds/values'
import { PLAYED_CONDITION } from '../../conditions.js'
import type { DataVolume, DataVolumeStatus } from '../kinds/data-volume.js'
import type { TransferState } from '../machine/transfers.js'
import { latest } from '../times.js'
import { type Progress, progressOf } from './progress.js'
import { transferOf } from './transfer.js'

const PLAYED = 'The volume is empty, the status is played'
const WHY = 'this node does not transfer data'

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
  /** Why no data is transferred, if it is played. */
  readonly played?: string
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

/**
 * Returns the status of a DataVolume whose claim is bound. A played transfer starts when the claim is first seen bound;
 * `transfer` is the state of a real one.
 */
export function boundStatus(
  dataVolume: DataVolume,
  claim: PersistentVolumeClaim,
  transfer: TransferState | undefined,
  now: Date,
): DataVolumeReport {
  const { status: before = {} } = dataVolume
  const { name } = claim.metadata
  const {
    phase,
    progress,
    again,
    restartCount = before.restartCount ?? 0,
    problem,
    played,
  } = transfer === undefined || transfer.state === 'played'
    ? { ...progressOf(dataVolume, boundSince(dataVolume, now), now), ...playedBecause(transfer?.why ?? WHY) }
    : realProgress(dataVolume, transfer)
  const findings: Finding[] = [
    { type: 'Bound', status: 'True', reason: 'Bound', message: `PVC ${name} Bound` },
    ...transferFindings(dataVolume, phase, problem),
    ...(played === undefined
      ? []
      : [{ type: PLAYED_CONDITION, status: 'True' as const, reason: 'NoTransfer', message: played }]),
  ]
  const conditions = setConditions(before.conditions, findings, now)
  const status = { ...before, claimName: name, phase, progress, restartCount, conditions }
  return { status, ...(again !== undefined && { again }), ...(played !== undefined && { played }) }
}

interface Report extends Progress {
  readonly restartCount?: number
  /** Why the last attempt failed. */
  readonly problem?: string
  /** Why no data is transferred. */
  readonly played?: string
}

function playedBecause(why: string): Pick<Report, 'played' | 'restartCount' | 'problem'> {
  return { played: `${PLAYED}: ${why}` }
}

function boundSince({ status }: DataVolume, now: Date): Date {
  const known = findCondition(status?.conditions, 'Bound')
  return known?.status === 'True' && known.lastTransitionTime !== undefined ? latest(known.lastTransitionTime) : now
}

function realProgress({ spec }: DataVolume, transfer: Exclude<TransferState, { state: 'played' }>): Report {
  const { scheduled, inProgress } = transferOf(spec)
  switch (transfer.state) {
    case 'scheduled':
      return { phase: scheduled, progress: 'N/A' }
    case 'running': {
      const { share, attempts } = transfer
      const progress = share === undefined ? 'N/A' : `${(100 * share).toFixed(2)}%`
      return { phase: inProgress, progress, restartCount: attempts }
    }
    case 'waiting':
      return { phase: inProgress, progress: 'N/A', restartCount: transfer.attempts, problem: transfer.message }
    case 'succeeded':
      return { phase: 'Succeeded', progress: '100.0%' }
  }
}

function transferFindings({ spec }: DataVolume, phase: string, problem: string | undefined): Finding[] {
  const { scheduled } = transferOf(spec)
  if (problem !== undefined) {
    return [
      { type: 'Ready', status: 'False', reason: 'TransferRunning' },
      { type: 'Running', status: 'False', reason: 'Error', message: problem },
    ]
  }
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
