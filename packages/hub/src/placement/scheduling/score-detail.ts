import { formatTime } from '@orrery/kinds/values'
import type { CompiledPlacement } from './compile.js'
import { formatTaint } from './drop-reason.js'
import type { ClusterFacts } from './facts.js'
import type { Prioritizer } from './prioritizers.js'
import type { ReportedScore, SchedulingState } from './state.js'
import { avoidedTaints } from './tolerations.js'

/** What a score of a cluster is based on. Without a prioritizer, the score is for PreferNoSelect taints. */
export function scoreDetail(
  { tolerations }: CompiledPlacement,
  prioritizer: Prioritizer | undefined,
  facts: ClusterFacts,
  state: SchedulingState,
): string | undefined {
  if (prioritizer === undefined) {
    const taints = avoidedTaints(facts, tolerations, state.now.getTime())
    return taints.length === 0 ? undefined : taints.map(formatTaint).join(', ')
  }
  const { reads } = prioritizer
  switch (reads.type) {
    case 'Balance': {
      const count = state.decisionsElsewhere(facts.name)
      const most = state.mostDecisionsElsewhere
      return `${count} ${count === 1 ? 'decision' : 'decisions'} of other placements, and at most ${most} on any cluster`
    }
    case 'Steady':
      return state.decided.has(facts.name) ? 'already selected' : 'not selected so far'
    case 'Allocatable':
      return Number.isNaN(facts[reads.resource])
        ? `no allocatable and capacity of ${reads.resource} reported`
        : `allocatable ${reads.resource}: ${facts.cluster.status?.allocatable?.[reads.resource]}`
    case 'Score': {
      const found = state.score(facts.name, reads.resource, reads.name)
      if (found === undefined) return 'no score reported, which counts as 0'
      const { value, validUntil } = found
      if (validUntil !== undefined && isExpired(found, state)) {
        return `value ${value} expired at ${formatTime(validUntil)}, which counts as 0`
      }
      return `value ${value}${validUntil === undefined ? '' : `, valid until ${formatTime(validUntil)}`}`
    }
  }
}

/** Whether a prioritizer reads a score that the cluster does not have, or that has expired. It then counts as 0. */
export function lacksScore(
  prioritizer: Prioritizer | undefined,
  { name }: ClusterFacts,
  state: SchedulingState,
): boolean {
  if (prioritizer?.reads.type !== 'Score') return false
  const found = state.score(name, prioritizer.reads.resource, prioritizer.reads.name)
  return found === undefined || isExpired(found, state)
}

function isExpired({ validUntil }: ReportedScore, { now }: SchedulingState): boolean {
  return validUntil !== undefined && now > validUntil
}
