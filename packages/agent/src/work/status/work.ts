import {
  configFor,
  type ManifestResourceMeta,
  type ManifestStatus,
  type ManifestWork,
  type ManifestWorkStatus,
  WorkCondition,
} from '@orrery/api'
import { CelBudget } from '@orrery/cel'
import { type Finding, findCondition, formatGroupVersion, isConditionTrue } from '@orrery/kinds/values'
import type { WorkOutcome } from '../outcomes.js'
import { aggregateAvailability, aggregateRules } from './aggregate.js'
import { aggregateApplied, currentOutcome, nameOf } from './applied-condition.js'
import { changedConditions } from './condition-set.js'
import { FeedbackBudget } from './feedback/feedback-budget.js'
import type { FieldValueOptions } from './feedback/field-value.js'
import { maxMessageLength } from './limits.js'
import { type ManifestReport, type ManifestView, reportManifest } from './manifest.js'
import type { Observation } from './observation.js'
import { overallProgress } from './progress.js'
import { isByRule, typesSetBy } from './rules/rule.js'
import { sealedIn, withoutValues } from './sealed.js'

/** Options for computing the status of a work. */
export interface StatusOptions extends FieldValueOptions {
  readonly now: Date
  /** Observes the object of a manifest; undefined while that is not possible yet. */
  readonly observe: (meta: ManifestResourceMeta, atLeast: string | undefined) => Observation | undefined
}

const { Applied, Available, Progressing, Degraded } = WorkCondition
/** Conditions that are always set anew. */
const ours: ReadonlySet<string> = new Set([Applied, Available, Progressing, Degraded])
/** Conditions about one generation: rollouts count from their lastTransitionTime. */
const ofOneGeneration: ReadonlySet<string> = new Set([Progressing, Degraded])

/**
 * Computes the status of a work. Undefined while it does not change: the latest generation has not been applied, or
 * its objects have not been observed.
 */
export function workStatusOf(
  work: ManifestWork,
  latest: WorkOutcome | undefined,
  options: StatusOptions,
): ManifestWorkStatus | undefined {
  const outcome = currentOutcome(work, latest)
  if (outcome === undefined) return undefined
  const views = viewsOf(work, outcome, options)
  if (views === undefined) return undefined
  const { generation } = work.metadata
  const ruledTypes = new Set(views.flatMap(({ ruleTypes }) => [...ruleTypes]))
  const longest = maxMessageLength(views.length)
  const feedbackBudget = new FeedbackBudget()
  const reportOptions = {
    ...options,
    generation,
    appliedGeneration: outcome.generation,
    ruledTypes,
    maxMessageLength: longest,
    feedbackBudget,
    budget: new CelBudget(),
  }
  const reports = views.map((view) => reportManifest(view, reportOptions))
  const manifests = reports.map(({ status }) => status)
  const conditions = changedConditions(work.status?.conditions, {
    findings: [
      aggregateApplied(outcome),
      aggregateAvailability(manifests, generation),
      ...aggregateRules(manifests, generation),
      ...unruledProgress(reports, ruledTypes, generation),
    ],
    stays: (condition) => !ours.has(condition.type) && !isByRule(condition),
    restarts: ({ observedGeneration }, { type }) =>
      ofOneGeneration.has(type) && !ruledTypes.has(type) && observedGeneration !== generation,
    maxMessageLength: maxMessageLength(1),
    now: options.now,
  })
  return { ...work.status, conditions, resourceStatus: { ...work.status?.resourceStatus, manifests } }
}

/** The state of all manifests; undefined if one is not known yet. */
function viewsOf(
  work: ManifestWork,
  { manifests, generation }: WorkOutcome,
  options: StatusOptions,
): ManifestView[] | undefined {
  const configs = work.spec?.manifestConfigs
  const previous = new Map<string, ManifestStatus>()
  for (const status of work.status?.resourceStatus?.manifests ?? [])
    previous.set(identityOf(status.resourceMeta), status)
  const isSealed = sealedIn(work)
  const views: ManifestView[] = []
  for (const outcome of manifests) {
    const { resourceMeta } = outcome
    const before = previous.get(identityOf(resourceMeta))
    const observation = options.observe(resourceMeta, outcome.resourceVersion)
    if (observation === undefined) return undefined
    const isComing = outcome.resourceVersion !== undefined && !wasSeen(before, generation)
    if (observation.state === 'absent' && isComing) return undefined
    const { feedbackRules = [], conditionRules = [] } = configFor(resourceMeta, configs) ?? {}
    const ruleTypes = new Set(typesSetBy(conditionRules, kindOf(resourceMeta)))
    const seen = isSealed(resourceMeta) ? withoutValues(observation) : observation
    views.push({ outcome, observation: seen, feedbackRules, conditionRules, ruleTypes, previous: before })
  }
  return views
}

function unruledProgress(
  reports: readonly ManifestReport[],
  ruledTypes: ReadonlySet<string>,
  generation: number | undefined,
): Finding[] {
  const named = reports.map(({ status, progress }) => ({ name: nameOf(status.resourceMeta), progress }))
  const { progressing, degraded } = overallProgress(named, generation)
  return [progressing, degraded].filter(({ type }) => !ruledTypes.has(type))
}

/** Whether the object was reported since this generation was applied: if it is absent now, it was deleted. */
function wasSeen(status: ManifestStatus | undefined, generation: number): boolean {
  const applied = findCondition(status?.conditions, Applied)
  return applied?.observedGeneration === generation && isConditionTrue(status?.conditions, Available)
}

/**
 * Identifies a manifest independently of its position in the work. A manifest that names no object is identified by
 * its position.
 */
function identityOf(meta: ManifestResourceMeta): string {
  const { ordinal, group = '', version = '', kind = '', resource = '', namespace = '', name = '' } = meta
  return JSON.stringify([group, version, kind, resource, namespace, name === '' ? ordinal : name])
}

function kindOf({ group = '', version = '', kind = '' }: ManifestResourceMeta): { apiVersion: string; kind: string } {
  return { apiVersion: formatGroupVersion(group, version), kind }
}
