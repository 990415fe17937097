import { type AddOnPlacementScore, calculatorOf, type ManagedClusterScore, scoreValidUntil } from '@orrery/api'
import type { Change } from '@orrery/kube/informer'
import { MANAGED_CLUSTER_SCORE, type NamedScore, type ReportedScore } from '../scheduling/index.js'

/** The scores of one resource of a cluster, by name. */
type Scores = ReadonlyMap<string, ReportedScore>

/** Scores of a cluster that have changed. */
export interface ScoreChange {
  readonly cluster: string
  readonly resource: string
  readonly names: ReadonlySet<string>
}

const NONE: Scores = new Map()

/** The scores that add-ons and calculators have reported, by resource and cluster. */
export class ScoreIndex {
  readonly #resources = new Map<string, Map<string, Scores>>()
  /** ManagedClusterScores are one object for each score. */
  readonly #calculated = new Map<string, Map<string, ReportedScore>>()

  score(cluster: string, resource: string, name: string): ReportedScore | undefined {
    const found = this.#resources.get(resource)?.get(cluster)?.get(name)
    if (found !== undefined || resource !== MANAGED_CLUSTER_SCORE) return found
    return this.#calculated.get(cluster)?.get(name)
  }

  /** All scores of an AddOnPlacementScore. */
  scoresOf(cluster: string, resource: string): NamedScore[] | undefined {
    const scores = this.#resources.get(resource)?.get(cluster)
    return scores && Array.from(scores, ([name, { value }]) => ({ name, value }))
  }

  /** The scores that count differently now. */
  addOnScoreChanged({ before, after }: Change<AddOnPlacementScore>, now: Date): ScoreChange {
    const { namespace: cluster, name: resource } = ((after ?? before) as AddOnPlacementScore).metadata
    const clusters = this.#resources.get(resource) ?? new Map<string, Scores>()
    const known = clusters.get(cluster) ?? NONE
    const scores = after && reported(after)
    if (scores === undefined) clusters.delete(cluster)
    else clusters.set(cluster, scores)
    if (clusters.size === 0) this.#resources.delete(resource)
    else this.#resources.set(resource, clusters)
    return { cluster, resource, names: differences(known, scores ?? NONE, now) }
  }

  /** The score that counts differently now, if it does. */
  clusterScoreChanged({ before, after }: Change<ManagedClusterScore>, now: Date): ScoreChange {
    const object = (after ?? before) as ManagedClusterScore
    const { namespace: cluster } = object.metadata
    const name = calculatorOf(object) ?? ''
    const scores = this.#calculated.get(cluster) ?? new Map<string, ReportedScore>()
    const known = scores.get(name)
    const score = after && calculated(after)
    if (score === undefined) scores.delete(name)
    else scores.set(name, score)
    if (scores.size === 0) this.#calculated.delete(cluster)
    else this.#calculated.set(cluster, scores)
    const names = new Set(countsSame(known, score, now) ? [] : [name])
    return { cluster, resource: MANAGED_CLUSTER_SCORE, names }
  }
}

/** The last one of several scores with a name counts. */
function reported({ status }: AddOnPlacementScore): Scores {
  const end = status?.validUntil
  const validUntil = typeof end === 'string' ? new Date(end) : undefined
  return new Map((status?.scores ?? []).map(({ name, value }) => [name, { value, validUntil }]))
}

function calculated(object: ManagedClusterScore): ReportedScore | undefined {
  const value = object.status?.score
  const validUntil = scoreValidUntil(object)
  // A score without a time was not computed by a calculator, and would count forever.
  return value === undefined || validUntil === undefined ? undefined : { value, validUntil }
}

function differences(before: Scores, after: Scores, now: Date): Set<string> {
  const names = new Set<string>()
  for (const [name, score] of before) if (!countsSame(score, after.get(name), now)) names.add(name)
  for (const [name, score] of after) if (!countsSame(before.get(name), score, now)) names.add(name)
  return names
}

/**
 * Whether nothing changes for placements. A later expiry does not: a placement checks its scores when the first one it reads
 * would expire.
 */
function countsSame(before: ReportedScore | undefined, after: ReportedScore | undefined, now: Date): boolean {
  if (before === undefined || after === undefined) return before === after
  if (before.value !== after.value) return false
  return isExpired(before, now) === isExpired(after, now) && endOf(before) <= endOf(after)
}

function isExpired(score: ReportedScore, now: Date): boolean {
  return endOf(score) < now.getTime()
}

function endOf({ validUntil }: ReportedScore): number {
  return validUntil?.getTime() ?? Number.POSITIVE_INFINITY
}
