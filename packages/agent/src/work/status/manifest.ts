import { type ConditionRule, type FeedbackRule, ManifestCondition, type ManifestStatus } from '@orrery/api'
import type { CelBudget } from '@orrery/cel'
import type { Condition } from '@orrery/kinds'
import { type Finding, isConditionTrue } from '@orrery/kinds/values'
import { semanticEqual } from '@orrery/kube/write'
import type { ManifestOutcome } from '../outcomes.js'
import { changedConditions } from './condition-set.js'
import { type Feedback, readFeedback, refusedFeedback } from './feedback/feedback.js'
import type { FeedbackBudget } from './feedback/feedback-budget.js'
import type { FieldValueOptions } from './feedback/field-value.js'
import { availabilityOf, type Observation } from './observation.js'
import { type Progress, progressOf } from './progress.js'
import { evaluateRules, isByRule, refusedRules } from './rules/rule.js'

/** One manifest and its state. */
export interface ManifestView {
  readonly outcome: ManifestOutcome
  readonly observation: Observation
  readonly feedbackRules: readonly FeedbackRule[]
  readonly conditionRules: readonly ConditionRule[]
  /** The types of conditions that the manifest's rules set. */
  readonly ruleTypes: ReadonlySet<string>
  /** Its current status. */
  readonly previous: ManifestStatus | undefined
}

/** Options for all manifests of a work. */
export interface ReportOptions extends FieldValueOptions {
  readonly now: Date
  /** `metadata.generation` of the work. */
  readonly generation: number | undefined
  /** The generation that was applied. It is not the latest if the work is complete. */
  readonly appliedGeneration: number
  /** The types of conditions that rules of the work set. Nothing else sets them. */
  readonly ruledTypes: ReadonlySet<string>
  /** The limit of a condition's message, in characters. */
  readonly maxMessageLength: number
  /** The limit for the feedback values of the work. */
  readonly feedbackBudget: FeedbackBudget
  /** The CEL budget for the condition rules of the work. */
  readonly budget: CelBudget
}

/** The new status of a manifest, and its progress. */
export interface ManifestReport {
  readonly status: ManifestStatus
  readonly progress: Progress
}

const { Applied, Available, StatusFeedbackSynced, Progressing, Degraded, Complete } = ManifestCondition
/** Conditions that are always set anew. */
const ours: ReadonlySet<string> = new Set([Applied, Available, Progressing, Degraded])
/** Conditions about one generation: lastTransitionTime starts over with the next. */
const ofOneGeneration: ReadonlySet<string> = new Set([Applied, Progressing, Degraded])

/** Computes the status of a manifest. If its object cannot be observed, the values stay. */
export function reportManifest(view: ManifestView, options: ReportOptions): ManifestReport {
  const { outcome, observation, previous } = view
  const { generation, appliedGeneration, ruledTypes } = options
  const object = observation.state === 'there' ? observation.object : undefined
  const feedback = feedbackOf(view, options)
  const progress = progressOf(outcome, observation, wasCompleted(view), generation)

  const findings = new Map<string, Finding>()
  const add = (finding: Finding) => findings.set(finding.type, finding)
  add({
    type: Applied,
    status: outcome.status,
    reason: outcome.reason,
    message: outcome.message,
    observedGeneration: appliedGeneration,
  })
  add(availabilityOf(observation))
  if (feedback !== undefined) add(feedback.finding)
  if (object !== undefined) evaluateRules(object, view.conditionRules, generation, options.budget).forEach(add)
  if (observation.state === 'refused') {
    const types = [...view.ruleTypes].filter((type) => type !== Complete || !wasCompleted(view))
    refusedRules(types, observation.message, generation).forEach(add)
  }
  for (const finding of [progress.progressing, progress.degraded]) if (!ruledTypes.has(finding.type)) add(finding)

  const values =
    feedback?.values ?? (view.feedbackRules.length > 0 ? previous?.statusFeedback?.values : undefined) ?? []
  if (feedback === undefined) for (const value of values) options.feedbackBudget.takes(value)
  const hasNewValues = !semanticEqual(values, previous?.statusFeedback?.values)
  const conditions = changedConditions(previous?.conditions, {
    findings: [...findings.values()],
    stays: (condition) => staysWithout(condition, view, feedback),
    restarts: (before, { type, observedGeneration }) =>
      (type === StatusFeedbackSynced && hasNewValues) ||
      (ofOneGeneration.has(type) && !ruledTypes.has(type) && before.observedGeneration !== observedGeneration),
    maxMessageLength: options.maxMessageLength,
    now: options.now,
  })
  const status = {
    resourceMeta: outcome.resourceMeta,
    ...(values.length > 0 && { statusFeedback: { values } }),
    conditions,
  }
  return { status, progress }
}

/** Undefined if the object cannot be observed now. Values of an object that the work may no longer read are removed. */
function feedbackOf({ observation, feedbackRules }: ManifestView, options: ReportOptions): Feedback | undefined {
  if (observation.state === 'refused') return refusedFeedback(feedbackRules, observation.message)
  return observation.state === 'there'
    ? readFeedback(observation.object, feedbackRules, options, options.feedbackBudget)
    : undefined
}

/**
 * Conditions from rules and feedback stay while the object cannot be observed: a finished Job may have been deleted.
 */
function staysWithout(condition: Condition, view: ManifestView, feedback: Feedback | undefined): boolean {
  const { observation, ruleTypes } = view
  if (isByRule(condition)) {
    const isUnseen = feedback === undefined || (observation.state === 'refused' && condition.type === Complete)
    return isUnseen && ruleTypes.has(condition.type)
  }
  return !ours.has(condition.type)
}

function wasCompleted({ previous, ruleTypes }: ManifestView): boolean {
  return ruleTypes.has(Complete) && isConditionTrue(previous?.conditions, Complete)
}
