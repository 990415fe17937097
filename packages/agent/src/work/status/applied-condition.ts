import {
  ManifestCondition,
  type ManifestResourceMeta,
  type ManifestStatus,
  type ManifestWork,
  WorkCondition,
  WorkReason,
} from '@orrery/api'
import { type Finding, findCondition, isConditionTrue } from '@orrery/kinds/values'
import type { ManifestOutcome, WorkOutcome } from '../outcomes.js'
import { fitting, someOf } from './message.js'

/** The limit for one manifest in the message of the work. */
const MAX_PART = 2_048

/**
 * The outcome of the work's current spec. A complete work is not applied any more: its last outcome counts, or what
 * its status reports of it. Undefined until the latest generation has been applied.
 */
export function currentOutcome(work: ManifestWork, outcome: WorkOutcome | undefined): WorkOutcome | undefined {
  const { uid, generation = 0 } = work.metadata
  const isComplete = isConditionTrue(work.status?.conditions, WorkCondition.Complete)
  if (outcome?.uid === uid && (outcome.generation === generation || isComplete)) return outcome
  if (!isComplete) return undefined
  const applied = findCondition(work.status?.conditions, WorkCondition.Applied)
  const manifests = work.status?.resourceStatus?.manifests ?? []
  return { uid, generation: applied?.observedGeneration ?? generation, manifests: manifests.map(outcomeFrom) }
}

function outcomeFrom({ resourceMeta, conditions }: ManifestStatus): ManifestOutcome {
  const applied = findCondition(conditions, ManifestCondition.Applied)
  const { reason = '', message = '' } = applied ?? {}
  return { resourceMeta, status: applied?.status === 'False' ? 'False' : 'True', reason, message }
}

/** The `Applied` condition of a work. */
export function aggregateApplied({ manifests, generation: observedGeneration }: WorkOutcome): Finding {
  const type = WorkCondition.Applied
  const failed = manifests.filter(({ status }) => status === 'False')
  if (failed.length === 0) {
    return {
      type,
      status: 'True',
      reason: WorkReason.Applied,
      message: 'Apply manifest work complete',
      observedGeneration,
    }
  }
  const which = someOf(
    failed.map(({ resourceMeta, message }) => `${nameOf(resourceMeta)}: ${fitting(message, MAX_PART)}`),
  )
  const message = `Failed to apply manifest work: ${failed.length} of ${manifests.length} manifests: ${which}`
  return { type, status: 'False', reason: WorkReason.ApplyFailed, message, observedGeneration }
}

/** The name of a manifest in messages: `Deployment default/web`, or its position, from 1, if it has no name. */
export function nameOf({ kind = '', namespace = '', name = '', ordinal }: ManifestResourceMeta): string {
  if (name === '') return `manifest ${ordinal + 1}`
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}
