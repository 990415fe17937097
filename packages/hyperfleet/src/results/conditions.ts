import { type ManifestWork, WorkCondition } from '@orrery/api'
import { findCondition, isBadRequest, isInvalid, isUnauthorized } from '@orrery/kinds/values'
import { isTlsFailure } from '@orrery/kube/transport'
import { feedback, isRetryable } from '@orrery/maestro'
import { AdapterError } from '../adapter-error.js'
import type { AppliedWork } from '../works/apply-work.js'
import type { AdapterReport, ReportCondition } from './report.js'

/** The part of a status that most resources have. */
interface ReportedStatus {
  readonly conditions?: readonly {
    readonly type?: string
    readonly status?: string
    readonly reason?: string
    readonly message?: string
  }[]
}

export interface DecideOptions {
  /** The name of the feedback rule that reports the status of the resource. Default `status`. */
  readonly feedback?: string
  /** The reason of `Available` if the resource is available. Default `ResourceReady`. */
  readonly availableReason?: string
}

const NO_ISSUES: ReportCondition = { type: 'Health', status: 'True', reason: 'NoIssues' }

/** The conditions of a work that was applied, from its conditions and the feedback of its resource. */
export function conditionsOf({ work, operation }: AppliedWork, options: DecideOptions = {}): ReportCondition[] {
  const agent = operation === 'unchanged' ? currentCondition(work, WorkCondition.Applied) : undefined
  if (agent?.status === 'False') {
    const { reason, message } = agent
    return [
      { type: 'Applied', status: 'False', reason, message },
      { type: 'Available', status: 'False', reason: 'ManifestWorkNotApplied', message },
      { type: 'Health', status: 'False', reason: 'ApplyFailed', message },
    ]
  }
  const reason = { created: 'ManifestWorkCreated', updated: 'ManifestWorkUpdated', unchanged: 'ManifestWorkExists' }
  return [
    { type: 'Applied', status: 'True', reason: reason[operation] },
    // Feedback of an earlier generation says nothing about this one.
    agent === undefined ? provisioning() : availability(work, options),
    NO_ISSUES,
  ]
}

/** The condition, if the agent has set it for the current generation of the work. */
function currentCondition(work: ManifestWork, type: string) {
  const condition = findCondition(work.status?.conditions, type)
  const { observedGeneration } = condition ?? {}
  const isStale = observedGeneration !== undefined && observedGeneration < (work.metadata.generation ?? 0)
  return isStale ? undefined : condition
}

function availability(work: ManifestWork, options: DecideOptions): ReportCondition {
  const status = feedback<ReportedStatus>(work, options.feedback ?? 'status')
  const available = status?.conditions?.find((condition) => condition.type === 'Available')
  if (available?.status === 'True') {
    return { type: 'Available', status: 'True', reason: options.availableReason ?? 'ResourceReady' }
  }
  return provisioning(available?.reason, available?.message)
}

function provisioning(reason = 'Provisioning', message?: string): ReportCondition {
  return { type: 'Available', status: 'False', reason, ...(message === undefined ? {} : { message }) }
}

/**
 * The report of a failure. Whether the resource exists is unknown unless it was rejected: HyperFleet keeps the earlier
 * conditions then.
 */
export function reportOfFailure(error: unknown): AdapterReport {
  const message = error instanceof Error ? error.message : String(error)
  const reason = failureReason(error)
  const status = reason === 'InvalidManifestWork' || reason === 'OwnedByAnother' ? 'False' : 'Unknown'
  return {
    conditions: [
      { type: 'Applied', status, reason, message },
      { type: 'Available', status, reason, message },
      { type: 'Health', status: 'False', reason, message },
    ],
  }
}

function failureReason(error: unknown): string {
  if (isRetryable(error)) return 'MaestroUnavailable'
  if (isUnauthorized(error)) return 'MaestroUnauthenticated'
  if (isTlsFailure(error)) return 'MaestroUntrusted'
  if (isBadRequest(error) || isInvalid(error)) return 'InvalidManifestWork'
  if (error instanceof AdapterError && error.kind === 'Validation') return 'InvalidManifestWork'
  if (error instanceof AdapterError && error.kind === 'Conflict') return 'OwnedByAnother'
  return 'ApplyFailed'
}
