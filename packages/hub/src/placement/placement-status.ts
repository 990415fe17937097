import { type Placement, PlacementCondition, PlacementReason, type PlacementStatus } from '@orrery/api'
import { type Finding, formatTime, setConditions } from '@orrery/kinds/values'
import type { DecisionLayout, Misconfigured, Schedule } from './scheduling/index.js'

/** The result of scheduling a placement. */
export interface PlacementResult {
  readonly schedule: Schedule
  readonly layout: DecisionLayout
  readonly problem: Misconfigured | undefined
}

/** The status of a placement with a result. */
export function statusWith({ status }: Placement, result: PlacementResult, now: Date): PlacementStatus {
  const { schedule, layout, problem } = result
  return {
    ...status,
    numberOfSelectedClusters: schedule.selected.length,
    decisionGroups: [...layout.groups],
    conditions: setConditions(status?.conditions, [misconfigured(problem), satisfied(schedule)], now),
    ...(layout.scoresUpdated && { lastScoreUpdateTime: formatTime(now) }),
  }
}

function satisfied({ satisfied }: Schedule): Finding {
  return { type: PlacementCondition.Satisfied, ...satisfied }
}

function misconfigured(problem: Misconfigured | undefined): Finding {
  const type = PlacementCondition.Misconfigured
  if (problem === undefined) {
    const message = 'Placement configurations check pass'
    return { type, status: 'False', reason: PlacementReason.Configured, message }
  }
  return { type, status: 'True', reason: PlacementReason.Misconfigured, message: problem.message }
}
