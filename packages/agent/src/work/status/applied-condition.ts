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

/** What one manifest may take up in what is said of the work. */
const MAX_PART = 2_048

/**
 * What came of applying a work as it is now. A work that is complete is not applied any more: of it the last outcome
 * stands, or what its status says of that. Undefined while the latest generation is yet to be applied.
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

/** Whether all manifests of a work have been applied. */
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

/** What a manifest is called in messages: `Deployment default/web`, or by its place, from 1, when it has no name. */
export function nameOf({ kind = '', namespace = '', name = '', ordinal }: ManifestResourceMeta): string {
  if (name === '') return `manifest ${ordinal + 1}`
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}
