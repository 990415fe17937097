import { type PlacementFailoverSpec, ScoreCalculator } from '@orrery/api'
import { durationToMilliseconds, parseDuration } from '@orrery/kinds/values'

/** The spec of a PlacementFailover. Durations are in milliseconds. */
export interface FailoverRules {
  /** The score, for messages: `ClusterHealth` or `RESOURCE/NAME`. */
  readonly scoreName: string
  readonly leaveBelow: number
  readonly leaveAfter: number
  readonly returnAbove: number
  readonly returnAfter: number
  readonly minClusters: number
  readonly maxMoves: number
  readonly moveInterval: number
  readonly isMissingFailing: boolean
}

export function rulesOf(spec: PlacementFailoverSpec): FailoverRules {
  return {
    scoreName: scoreNameOf(spec),
    leaveBelow: spec.leaveBelow,
    leaveAfter: milliseconds(spec.leaveAfter),
    returnAbove: spec.returnAbove,
    returnAfter: milliseconds(spec.returnAfter),
    minClusters: spec.minClusters,
    maxMoves: spec.maxMoves,
    moveInterval: milliseconds(spec.moveInterval),
    isMissingFailing: spec.missingScore === 'Failing',
  }
}

/** The calculator that a failover reads; undefined if it reads the score of an add-on. */
export function calculatorFor({ score }: PlacementFailoverSpec): string | undefined {
  return score?.addOn === undefined ? (score?.calculator ?? ScoreCalculator.ClusterHealth) : undefined
}

function scoreNameOf(spec: PlacementFailoverSpec): string {
  const { addOn } = spec.score ?? {}
  return calculatorFor(spec) ?? `${addOn?.resourceName}/${addOn?.scoreName}`
}

function milliseconds(text: string): number {
  return durationToMilliseconds(parseDuration(text))
}
