import type { CompiledPlacement } from './compile.js'
import { dropReason } from './drop-reason.js'
import type { ClusterFacts } from './facts.js'
import type { Ranking } from './ranking.js'
import type { SchedulingState } from './state.js'

/** Longer reasons are cut off. */
const MAX_REASON = 256

/**
 * The reasons of decisions. A cluster that stays keeps its reason, so that nothing is written if nothing changes. A cluster
 * that replaces another one names the cause. Others have no reason.
 */
export function reasonsFor(
  compiled: CompiledPlacement,
  candidates: readonly ClusterFacts[],
  ranking: Ranking,
  state: SchedulingState,
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  const { decided } = state
  if (decided.size === 0) return reasons
  const added: number[] = []
  for (const index of ranking.selected) {
    const { name } = ranking.feasible.clusters[index] as ClusterFacts
    const current = decided.get(name)
    if (current === undefined) added.push(index)
    else if (current.reason !== '') reasons.set(name, current.reason)
  }
  if (added.length === 0) return reasons
  const removed = removedClusters(ranking, decided.keys())
  added.slice(0, removed.length).forEach((index, position) => {
    const { name } = ranking.feasible.clusters[index] as ClusterFacts
    const left = removed[position] as string
    const cause = causeOf(left, index, compiled, candidates, ranking, state)
    reasons.set(name, cutOff(`replaces ${left}: ${cause}`))
  })
  return reasons
}

function removedClusters({ feasible: { clusters }, selected }: Ranking, decided: Iterable<string>): string[] {
  const kept = new Set(selected.map((index) => (clusters[index] as ClusterFacts).name))
  return [...decided].filter((name) => !kept.has(name)).sort()
}

/** Why a cluster is not selected any more. */
function causeOf(
  left: string,
  replacement: number,
  compiled: CompiledPlacement,
  candidates: readonly ClusterFacts[],
  { feasible: { clusters }, totals }: Ranking,
  state: SchedulingState,
): string {
  const at = clusters.findIndex(({ name }) => name === left)
  if (at >= 0) {
    const [before, after] = [totals[at] as number, totals[replacement] as number]
    return before < after
      ? `its score is ${before}, and that of ${(clusters[replacement] as ClusterFacts).name} is ${after}`
      : 'the clusters are spread over other topology domains'
  }
  const facts = candidates.find(({ name }) => name === left)
  if (facts === undefined) return 'it is no longer in a cluster set of the placement'
  return dropReason(compiled, facts, state)?.reason ?? 'it does not match any more'
}

function cutOff(reason: string): string {
  return reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON - 1)}…`
}
