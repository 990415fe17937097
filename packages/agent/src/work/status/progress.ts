import { ManifestCondition, ManifestReason, WorkReason } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import type { ManifestOutcome } from '../outcomes.js'
import { someOf } from './message.js'
import { availabilityOf, type Observation } from './observation.js'
import { readinessOf } from './readiness/readiness.js'
import type { Readiness } from './readiness/types.js'

/** The progress of a manifest or a work: the conditions `Progressing` and `Degraded` unless a rule sets them. */
export interface Progress {
  readonly progressing: Finding
  readonly degraded: Finding
}

const { Progressing, Degraded } = ManifestCondition
/** The condition `Applied` has the reason. */
const NOT_APPLIED = 'The manifest could not be applied'

/** The progress of one manifest's object. A failure sets both conditions, because rollouts rely on that. */
export function progressOf(
  applied: Pick<ManifestOutcome, 'status'>,
  observation: Observation,
  isComplete: boolean,
  observedGeneration: number | undefined,
): Progress {
  if (applied.status === 'False') {
    return progressFrom({ progressing: NOT_APPLIED, degraded: NOT_APPLIED }, observedGeneration)
  }
  switch (observation.state) {
    case 'there':
      return progressFrom(readinessOf(observation.object, observation.pods), observedGeneration)
    case 'absent':
      return progressFrom(isComplete ? {} : { progressing: 'Resource is not available' }, observedGeneration)
    case 'refused':
      if (isComplete) return progressFrom({}, observedGeneration)
      return unknownProgress(ManifestReason.FetchingResourceFailed, observation.message, observedGeneration)
    default: {
      const { reason, message = '' } = availabilityOf(observation)
      return unknownProgress(reason, message, observedGeneration)
    }
  }
}

function unknownProgress(reason: string, message: string, observedGeneration: number | undefined): Progress {
  const unknown = { status: 'Unknown', reason, message, observedGeneration } as const
  return { progressing: { type: Progressing, ...unknown }, degraded: { type: Degraded, ...unknown } }
}

function progressFrom(readiness: Readiness, observedGeneration: number | undefined): Progress {
  const { progressing, degraded, isPassing = false } = readiness
  const hasFailed = progressing !== undefined && degraded !== undefined && !isPassing
  const { Applying, Completed, Failed, AsExpected } = ManifestReason
  return {
    progressing: {
      type: Progressing,
      status: progressing === undefined ? 'False' : 'True',
      reason: progressing === undefined ? Completed : hasFailed ? Failed : Applying,
      message: progressing ?? '',
      observedGeneration,
    },
    degraded: {
      type: Degraded,
      status: degraded === undefined ? 'False' : 'True',
      reason: degraded === undefined ? AsExpected : Failed,
      message: degraded ?? '',
      observedGeneration,
    },
  }
}

/** The name of a manifest in messages, and its condition. */
interface NamedFinding {
  readonly name: string
  readonly finding: Finding
}

/**
 * The progress of a work: a condition that is true for a manifest is true for the work, and the message names those
 * manifests.
 */
export function overallProgress(
  manifests: readonly { readonly name: string; readonly progress: Progress }[],
  observedGeneration: number | undefined,
): Progress {
  const named = (which: keyof Progress) => manifests.map(({ name, progress }) => ({ name, finding: progress[which] }))
  return {
    progressing: overall(named('progressing'), {
      type: Progressing,
      status: 'False',
      reason: WorkReason.Completed,
      message: 'All resources are ready',
      observedGeneration,
    }),
    degraded: overall(named('degraded'), {
      type: Degraded,
      status: 'False',
      reason: WorkReason.AsExpected,
      message: 'No resource is degraded',
      observedGeneration,
    }),
  }
}

function overall(manifests: readonly NamedFinding[], otherwise: Finding): Finding {
  const conditionTexts = (chosen: readonly NamedFinding[]) =>
    someOf(chosen.map(({ name, finding }) => `${name}: ${finding.message}`))
  const holding = manifests.filter(({ finding }) => finding.status === 'True')
  if (holding.length > 0) {
    const hasFailed = holding.some(({ finding }) => finding.reason === ManifestReason.Failed)
    const reason = hasFailed ? WorkReason.Failed : WorkReason.Applying
    return { ...otherwise, status: 'True', reason, message: conditionTexts(holding) }
  }
  const unknown = manifests.filter(({ finding }) => finding.status === 'Unknown')
  if (unknown.length === 0) return otherwise
  return {
    ...otherwise,
    status: 'Unknown',
    reason: WorkReason.ResourcesStatusUnknown,
    message: conditionTexts(unknown),
  }
}
