import { type AddOnPlacementScore, calculatorOf, type ManagedClusterScore, scoreValidUntil } from '@orrery/api'
import type { Change } from '@orrery/kube/informer'
import { MANAGED_CLUSTER_SCORE, type NamedScore, type ReportedScore } from '../scheduling/index.js'

/** Scores by name, or by cluster. */
type Scores = ReadonlyMap<string, ReportedScore>

/** Scores of a cluster that have changed. */
export interface ScoreChange {
  readonly cluster: string
  readonly resource: string
  readonly names: ReadonlySet<string>
}

const NONE: Scores = new Map()

/** How many names of one resource are kept by cluster. */
const MAX_COLUMNS = 32

/** The scores that add-ons and calculators have reported, by resource and cluster. */
export class ScoreIndex {
  readonly #resources = new Map<string, Map<string, Scores>>()
  /** ManagedClusterScores are one object for each score. */
  readonly #calculated = new Map<string, Map<string, ReportedScore>>()
  /** The scores of one name by cluster, for the placements that read it: they ask for every cluster. */
  readonly #columns = new Map<string, Map<string, Scores>>()

  #last: { readonly resource: string; readonly name: string; readonly column: Scores } | undefined

  score(cluster: string, resource: string, name: string): ReportedScore | undefined {
    if (this.#last === undefined || this.#last.resource !== resource || this.#last.name !== name) {
      this.#last = { resource, name, column: this.#column(resource, name) }
    }
    return this.#last.column.get(cluster)
  }

  /** All scores of an AddOnPlacementScore. */
  scoresOf(cluster: string, resource: string): NamedScore[] | undefined {
    const scores = this.#resources.get(resource)?.get(cluster)
    return scores && Array.from(scores, ([name, { value }]) => ({ name, value }))
  }

  #column(resource: string, name: string): Scores {
    if (resource !== MANAGED_CLUSTER_SCORE && !this.#resources.has(resource)) return NONE
    let columns = this.#columns.get(resource)
    if (columns === undefined) {
      columns = new Map()
      this.#columns.set(resource, columns)
    }
    let column = columns.get(name)
    if (column === undefined) {
      // Placements can ask for any name.
      if (columns.size >= MAX_COLUMNS) columns.clear()
      column = this.#collect(resource, name)
      columns.set(name, column)
    }
    return column
  }

  #collect(resource: string, name: string): Map<string, ReportedScore> {
    const column = new Map<string, ReportedScore>()
    const sources = [resource === MANAGED_CLUSTER_SCORE ? this.#calculated : [], this.#resources.get(resource) ?? []]
    for (const source of sources) {
      for (const [cluster, scores] of source) {
        const score = scores.get(name)
        if (score !== undefined) column.set(cluster, score)
      }
    }
    return column
  }

  /** The scores that count differently now. */
  addOnScoreChanged({ before, after }: Change<AddOnPlacementScore>, now: Date): ScoreChange {
    const { namespace: cluster, name: resource } = ((after ?? before) as AddOnPlacementScore).metadata
    const clusters = this.#resources.get(resource) ?? new Map<string, Scores>()
    const known = clusters.get(cluster) ?? NONE
    const scores = after && reported(after)
    this.#columns.delete(resource)
    this.#last = undefined
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
    this.#columns.delete(MANAGED_CLUSTER_SCORE)
    this.#last = undefined
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
