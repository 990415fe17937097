import type { Placement } from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import type { SchedulingState } from '../scheduling/index.js'
import type { DecisionLedger } from './decision-ledger.js'
import type { ScoreIndex } from './score-index.js'

/** What the state of scheduling is read from. */
export interface StateSources {
  readonly decisions: DecisionLedger
  readonly scores: ScoreIndex
  /** The clusters that failover keeps off the placement, with the reasons. */
  readonly excluded: ReadonlyMap<string, string>
  /** When they return, for explanations. */
  readonly returnCondition?: string
}

/** What scheduling of a placement reads in addition to its spec and its candidates. */
export function stateFor(
  { metadata: { namespace, name }, status }: Pick<Placement, 'metadata' | 'status'>,
  { decisions, scores, excluded, returnCondition }: StateSources,
  now: Date,
): SchedulingState {
  const key = keyOf({ namespace, name })
  const decided = decisions.decided(key)
  const updated = status?.lastScoreUpdateTime
  let most: number | undefined
  return {
    decided,
    decisionsElsewhere: (cluster) => decisions.count(cluster) - (decided.has(cluster) ? 1 : 0),
    get mostDecisionsElsewhere() {
      most ??= decisions.highestWithout(key)
      return most
    },
    score: (cluster, resource, score) => scores.score(cluster, resource, score),
    scoresOf: (cluster, resource) => scores.scoresOf(cluster, resource),
    ...(excluded.size > 0 && { excluded: (cluster: string) => excluded.get(cluster) }),
    ...(returnCondition !== undefined && { returnCondition }),
    lastScoreUpdateTime: typeof updated === 'string' ? new Date(updated) : undefined,
    now,
  }
}
