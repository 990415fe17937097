import { ReplicaSetCondition, ReplicaSetReason, WorkCondition } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import type { Outcome } from './hand-out.js'
import { absencesIn, problemsIn, rolloutNews } from './messages.js'
import type { PlacementView } from './placements.js'
import { says } from './said.js'
import { shortened } from './shortened.js'
import type { Counts } from './summary.js'

/** What the conditions of a replica set are found from. */
export interface Evidence {
  readonly placements: readonly PlacementView[]
  readonly outcome: Outcome
  readonly counts: Counts
  /** Why nobody can be given the latest template. */
  readonly templateProblem: string | undefined
  readonly observedGeneration: number | undefined
}

const { PlacementVerified, PlacementRolledOut, ManifestworkApplied } = ReplicaSetCondition
const { AsExpected, NotAsExpected, PlacementDecisionNotFound, PlacementDecisionEmpty } = ReplicaSetReason
const { Complete, Progressing, Processing } = ReplicaSetReason

/** The conditions of a replica set. */
export function findingsFrom(evidence: Evidence): Finding[] {
  const { observedGeneration } = evidence
  return [
    { type: PlacementVerified, observedGeneration, ...placementVerified(evidence) },
    { type: PlacementRolledOut, observedGeneration, ...rolledOut(evidence) },
    { type: ManifestworkApplied, observedGeneration, ...worksApplied(evidence) },
  ]
}

/** Far less than servers take, and more than anybody reads. */
const LONGEST_MESSAGE = 4_096

type Verdict = Pick<Finding, 'status' | 'reason' | 'message'>

function verdict(isGood: boolean, reason: string, message = ''): Verdict {
  return { status: isGood ? 'True' : 'False', reason, message: shortened(message, LONGEST_MESSAGE) }
}

function placementVerified({ placements, outcome, counts }: Evidence): Verdict {
  const missing = placements.filter(({ state }) => state === 'missing')
  if (missing.length > 0) return verdict(false, PlacementDecisionNotFound, troubles(missing))
  const unreadable = [...outcome.courses].flatMap(([name, course]) =>
    'problem' in course ? [`placement ${name}: ${course.problem}`] : [],
  )
  if (unreadable.length > 0) return verdict(false, NotAsExpected, unreadable.join('; '))
  const undecided = placements.filter(({ state }) => state === 'undecided')
  if (undecided.length > 0) return verdict(false, PlacementDecisionEmpty, troubles(undecided))
  if (counts.desiredTotal === 0) return verdict(false, PlacementDecisionEmpty, 'the placements have no cluster')
  return verdict(true, AsExpected)
}

function rolledOut({ placements, outcome, templateProblem }: Evidence): Verdict {
  const problems = problemsIn(outcome.members)
  const news = [
    ...(templateProblem === undefined ? [] : [templateProblem]),
    ...placements.filter(({ state }) => state !== 'known').map((view) => troubles([view])),
    ...[...outcome.courses].flatMap(([name, course]) => rolloutNews(name, course, outcome)),
    ...(problems === undefined ? [] : [`not given to ${problems}`]),
  ]
  return news.length === 0 ? verdict(true, Complete) : verdict(false, Progressing, news.join('; '))
}

function worksApplied({ placements, outcome, counts, templateProblem }: Evidence): Verdict {
  if (templateProblem !== undefined) return verdict(false, NotAsExpected, templateProblem)
  if (counts.desiredTotal === 0) {
    const isEmpty = placements.every(({ state }) => state !== 'missing')
    return verdict(false, isEmpty ? PlacementDecisionEmpty : NotAsExpected)
  }
  const problems = problemsIn(outcome.members)
  if (problems !== undefined) return verdict(false, NotAsExpected, problems)
  const { desiredTotal, updated, available, progressing, degraded, applied } = counts
  if (degraded > 0) return verdict(false, NotAsExpected, `${degraded} of ${desiredTotal} works are degraded`)
  if (available === desiredTotal && progressing === 0) return verdict(true, AsExpected)
  const absences = absencesIn(outcome.members)
  const message =
    `${updated} of ${desiredTotal} works are up to date, ${applied} applied, ${available} available` +
    (absences === undefined ? '' : `; ${absences}`)
  const isUnderWay = updated < desiredTotal || progressing > 0 || !hasBadNews(outcome)
  return verdict(false, isUnderWay ? Processing : NotAsExpected, message)
}

/** Whether some agent says that something is not as it should be: not having said anything is no bad news. */
function hasBadNews({ members }: Outcome): boolean {
  const { Applied, Available } = WorkCondition
  return [...members.values()].some(
    ({ work, isUpdated }) =>
      work !== undefined && isUpdated && (says(work, Applied, 'False') || says(work, Available, 'False')),
  )
}

function troubles(views: readonly PlacementView[]): string {
  return views.map(({ reference, problem = '' }) => `placement ${reference.name}: ${problem}`).join('; ')
}
