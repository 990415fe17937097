import type { CompiledPlacement } from './compile.js'
import type { SelectedCluster } from './schedule.js'
import type { SchedulingState } from './state.js'
import { steadyScoreOf } from './totals.js'

/** The scores that decisions show. */
export interface RecordedScores {
  /** By cluster. Empty if the decisions of the placement show no scores. */
  readonly scores: ReadonlyMap<string, number>
  readonly scoresUpdated: boolean
  readonly nextAt: Date | undefined
}

const none: RecordedScores = { scores: new Map(), scoresUpdated: false, nextAt: undefined }

/**
 * The scores to show. They count Steady as after the decision: otherwise every new decision would change its own scores.
 * If the clusters are the same and the scores were updated less than `scoreRateLimit` ago, the scores stay as they are.
 */
export function recordedScores(
  compiled: CompiledPlacement,
  selected: readonly SelectedCluster[],
  { decided, lastScoreUpdateTime, now }: SchedulingState,
): RecordedScores {
  if (!compiled.recordsScores) return none
  const steadyScore = steadyScoreOf(compiled)
  const scores = new Map(
    selected.map(({ cluster, score }) => [cluster, decided.has(cluster) ? score : score + steadyScore]),
  )
  const isSameSet = selected.length === decided.size && selected.every(({ cluster }) => decided.has(cluster))
  if (isSameSet && selected.every(({ cluster }) => decided.get(cluster)?.score === scores.get(cluster))) {
    return { scores, scoresUpdated: false, nextAt: undefined }
  }
  const nextUpdate = (lastScoreUpdateTime?.getTime() ?? Number.NEGATIVE_INFINITY) + compiled.scoreRateLimit
  const isComplete = [...decided.values()].every(({ score }) => score !== undefined)
  if (!isSameSet || !isComplete || now.getTime() >= nextUpdate)
    return { scores, scoresUpdated: true, nextAt: undefined }
  const recorded = new Map(Array.from(decided, ([cluster, { score }]) => [cluster, score as number]))
  return { scores: recorded, scoresUpdated: false, nextAt: new Date(nextUpdate) }
}
