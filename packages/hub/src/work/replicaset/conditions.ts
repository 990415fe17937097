import { ReplicaSetCondition, ReplicaSetReason, WorkCondition } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import { hasCurrentCondition } from '../current-condition.js'
import { absencesIn, problemsIn, rolloutMessages } from './messages.js'
import type { ReferencedPlacement } from './referenced-placement.js'
import type { RolloutResult } from './rollout.js'
import type { Counts } from './summary.js'
import { truncated } from './truncated.js'

/** The state that the conditions of a replica set report. */
export interface ReplicaSetState {
  readonly placements: readonly ReferencedPlacement[]
  readonly result: RolloutResult
  readonly counts: Counts
  /** Why the template is not valid. */
  readonly templateProblem: string | undefined
  readonly observedGeneration: number | undefined
}

const { PlacementVerified, PlacementRolledOut, ManifestworkApplied } = ReplicaSetCondition
const { AsExpected, NotAsExpected, PlacementDecisionNotFound, PlacementDecisionEmpty } = ReplicaSetReason
const { Complete, Progressing, Processing } = ReplicaSetReason

/** The conditions of a replica set. */
export function replicaSetConditions(state: ReplicaSetState): Finding[] {
  const { observedGeneration } = state
  return [
    { type: PlacementVerified, observedGeneration, ...placementVerified(state) },
    { type: PlacementRolledOut, observedGeneration, ...rolledOut(state) },
    { type: ManifestworkApplied, observedGeneration, ...worksApplied(state) },
  ]
}

/** Less than the API's limit for messages, 32,768. */
const MAX_MESSAGE_LENGTH = 4_096

type Verdict = Pick<Finding, 'status' | 'reason' | 'message'>

function verdict(isGood: boolean, reason: string, message = ''): Verdict {
  return { status: isGood ? 'True' : 'False', reason, message: truncated(message, MAX_MESSAGE_LENGTH) }
}

function placementVerified({ placements, result, counts }: ReplicaSetState): Verdict {
  const missing = placements.filter(({ state }) => state === 'missing')
  if (missing.length > 0) return verdict(false, PlacementDecisionNotFound, problemsOf(missing))
  const invalid = [...result.rollouts].flatMap(([name, rollout]) =>
    'problem' in rollout ? [`placement ${name}: ${rollout.problem}`] : [],
  )
  if (invalid.length > 0) return verdict(false, NotAsExpected, invalid.join('; '))
  const isUndecided = placements.some(({ state }) => state === 'undecided')
  if (isUndecided || counts.desiredTotal === 0) return verdict(false, PlacementDecisionEmpty, emptinessOf(placements))
  return verdict(true, AsExpected)
}

function rolledOut({ placements, result, templateProblem }: ReplicaSetState): Verdict {
  const problems = problemsIn(result.members)
  const messages = [
    ...(templateProblem === undefined ? [] : [templateProblem]),
    ...placements.filter(({ state }) => state !== 'decided').map((view) => problemsOf([view])),
    ...[...result.rollouts].flatMap(([name, rollout]) => rolloutMessages(name, rollout, result)),
    ...(problems === undefined ? [] : [`not rolled out to ${problems}`]),
  ]
  return messages.length === 0 ? verdict(true, Complete) : verdict(false, Progressing, messages.join('; '))
}

function worksApplied({ placements, result, counts, templateProblem }: ReplicaSetState): Verdict {
  if (templateProblem !== undefined) return verdict(false, NotAsExpected, templateProblem)
  if (counts.desiredTotal === 0) {
    const isEmpty = placements.every(({ state }) => state !== 'missing')
    return verdict(false, isEmpty ? PlacementDecisionEmpty : NotAsExpected, emptinessOf(placements))
  }
  const problems = problemsIn(result.members)
  if (problems !== undefined) return verdict(false, NotAsExpected, problems)
  const { desiredTotal, updated, available, progressing, degraded, applied } = counts
  if (degraded > 0) return verdict(false, NotAsExpected, `${degraded} of ${desiredTotal} works are degraded`)
  if (available === desiredTotal && progressing === 0) return verdict(true, AsExpected)
  const absences = absencesIn(result.members)
  const message =
    `${updated} of ${desiredTotal} works are up to date, ${applied} applied, ${available} available` +
    (absences === undefined ? '' : `; ${absences}`)
  const isProgressing = updated < desiredTotal || progressing > 0 || !hasFailures(result)
  return verdict(false, isProgressing ? Processing : NotAsExpected, message)
}

/** Whether an agent reports that a work is not applied or not available. No report is no failure. */
function hasFailures({ members }: RolloutResult): boolean {
  const { Applied, Available } = WorkCondition
  return [...members.values()].some(
    ({ work, isUpdated }) =>
      work !== undefined &&
      isUpdated &&
      (hasCurrentCondition(work, Applied, 'False') || hasCurrentCondition(work, Available, 'False')),
  )
}

/** Why placements select no clusters. */
function emptinessOf(placements: readonly ReferencedPlacement[]): string {
  const without = placements.filter(({ state }) => state === 'missing' || state === 'undecided')
  return without.length === 0 ? 'the placements select no clusters' : problemsOf(without)
}

function problemsOf(placements: readonly ReferencedPlacement[]): string {
  return placements.map(({ reference, problem = '' }) => `placement ${reference.name} ${problem}`).join('; ')
}
