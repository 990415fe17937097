import {
  type ClusterDecision,
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  type DecisionGroupStatus,
  PLACEMENT_LABEL,
  type Placement,
} from '@orrery/api'
import { type CompiledPlacement, canHaveDecisions, compilePlacement } from './compile.js'
import type { ClusterFacts } from './facts.js'
import { divide } from './groups.js'
import { recordedScores } from './recorded-scores.js'
import type { Schedule } from './schedule.js'
import type { SchedulingState } from './state.js'

/** The maximum number of decisions in one PlacementDecision. */
export const MAX_DECISIONS_PER_OBJECT = 100

/** A PlacementDecision as it should be. */
export interface DesiredDecision {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly decisions: readonly ClusterDecision[]
}

/** The PlacementDecisions and the decision groups of a placement. */
export interface DecisionLayout {
  /** At least one, which can be empty, unless the spec has an error in its decision groups. */
  readonly decisions: readonly DesiredDecision[]
  /** For the status of the placement. */
  readonly groups: readonly DecisionGroupStatus[]
  /** Whether the layout shows new scores: then `lastScoreUpdateTime` is now. */
  readonly scoresUpdated: boolean
  /** When changed scores can be shown, if `scoreRateLimit` keeps them from being shown now. */
  readonly nextAt: Date | undefined
}

/** The PlacementDecisions for a schedule. */
export function layoutDecisions(
  compiled: CompiledPlacement,
  { selected }: Schedule,
  state: SchedulingState,
): DecisionLayout {
  const { scores, scoresUpdated, nextAt } = recordedScores(compiled, selected, state)
  const byName = (a: ClusterFacts, b: ClusterFacts) => (a.name < b.name ? -1 : 1)
  const byScore = (a: ClusterFacts, b: ClusterFacts) =>
    (scores.get(b.name) ?? 0) - (scores.get(a.name) ?? 0) || byName(a, b)
  const clusters = selected.map(({ facts }) => facts)
  const reasons = new Map(selected.map(({ cluster, reason }) => [cluster, reason]))
  const decisionOf = ({ name }: ClusterFacts): ClusterDecision => {
    const score = scores.get(name)
    return { clusterName: name, reason: reasons.get(name) ?? '', ...(score !== undefined && { score }) }
  }

  const decisions: DesiredDecision[] = []
  const groups: DecisionGroupStatus[] = []
  divide(compiled.groups, clusters, compiled.sortBy === 'Score' ? byScore : byName).forEach((group, groupIndex) => {
    const names: string[] = []
    for (let at = 0; at === 0 || at < group.clusters.length; at += MAX_DECISIONS_PER_OBJECT) {
      const name = `${compiled.name}-decision-${decisions.length + 1}`
      names.push(name)
      const labels = {
        [PLACEMENT_LABEL]: compiled.name,
        [DECISION_GROUP_NAME_LABEL]: group.name,
        [DECISION_GROUP_INDEX_LABEL]: String(groupIndex),
      }
      const part = group.clusters.slice(at, at + MAX_DECISIONS_PER_OBJECT)
      decisions.push({ name, labels, decisions: part.map(decisionOf) })
    }
    groups.push({
      decisionGroupIndex: groupIndex,
      decisionGroupName: group.name,
      decisions: names,
      clusterCount: group.clusters.length,
    })
  })
  return { decisions, groups, scoresUpdated, nextAt }
}

/** What remains for a placement with an error in its spec: an empty PlacementDecision, if it can have one. */
export function layoutMisconfigured(placement: Placement, schedule: Schedule, state: SchedulingState): DecisionLayout {
  if (!canHaveDecisions(placement.metadata)) {
    return { decisions: [], groups: [], scoresUpdated: false, nextAt: undefined }
  }
  const withoutRules = compilePlacement({ ...placement, spec: { sortBy: 'ClusterName', scoreRateLimit: '1m' } })
  return layoutDecisions(withoutRules, schedule, state)
}
