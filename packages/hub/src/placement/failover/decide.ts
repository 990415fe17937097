import { type ExcludedCluster, FailoverReason, type PendingMove, type RecentMove } from '@orrery/api'
import { formatTime, humanDuration } from '@orrery/kinds/values'
import type { FailoverRules } from '../failover-rules.js'

/** A candidate of the placement. */
export interface FailoverCluster {
  readonly name: string
  /** The health score. Undefined if it is missing or expired. */
  readonly score: number | undefined
  /** Whether the placement selects the cluster now. */
  readonly isDecided: boolean
  /** Whether the placement could select the cluster if failover did not exclude it. */
  readonly isFeasible: boolean
}

/** What failover remembers, in the status of the PlacementFailover. */
export interface FailoverMemory {
  readonly excluded: readonly ExcludedCluster[]
  readonly pending: readonly PendingMove[]
  readonly recentMoves: readonly RecentMove[]
}

export interface Move {
  readonly clusterName: string
  readonly move: 'Leave' | 'Return'
  readonly reason: string
}

export interface FailoverDecision extends FailoverMemory {
  /** The clusters that leave and return now. */
  readonly moves: readonly Move[]
  /** The limit that delays a cluster, if any. */
  readonly limit: { readonly reason: FailoverReason; readonly message: string } | undefined
  /** When the result changes without a change of scores. */
  readonly nextAt: Date | undefined
}

/**
 * Decides which clusters leave the decisions of a placement, and which return.
 *
 * | cluster      | score                      | what happens                                                              |
 * |--------------|----------------------------|---------------------------------------------------------------------------|
 * | not excluded | below `leaveBelow`         | leaves after `leaveAfter`, if enough clusters remain that are not failing |
 * | not excluded | other, or missing          | stays                                                                     |
 * | excluded     | above `returnAbove`        | returns after `returnAfter`                                               |
 * | excluded     | other, or missing          | stays excluded                                                            |
 *
 * At most `maxMoves` clusters move within `moveInterval`. A cluster that the placement has not selected leaves without a move,
 * since nothing runs there. If fewer than `minClusters` feasible clusters are left, for example because others were
 * detached, the best excluded ones return at once.
 */
export function decideFailover(
  rules: FailoverRules,
  clusters: readonly FailoverCluster[],
  memory: FailoverMemory,
  now: Date,
): FailoverDecision {
  return new Decision(rules, clusters, memory, now).result()
}

class Decision {
  readonly #rules: FailoverRules
  readonly #clusters: readonly FailoverCluster[]
  readonly #now: number
  readonly #excluded: Map<string, ExcludedCluster>
  readonly #pending: Map<string, PendingMove>
  readonly #recent: RecentMove[]
  readonly #moves: Move[] = []
  readonly #times: number[] = []
  #limit: FailoverDecision['limit']

  constructor(
    rules: FailoverRules,
    clusters: readonly FailoverCluster[],
    { excluded, pending, recentMoves }: FailoverMemory,
    now: Date,
  ) {
    this.#rules = rules
    this.#clusters = clusters
    this.#now = now.getTime()
    const names = new Set(clusters.map(({ name }) => name))
    this.#excluded = new Map(
      excluded.filter(({ clusterName }) => names.has(clusterName)).map((one) => [one.clusterName, one]),
    )
    const before = new Map(pending.map((one) => [one.clusterName, one]))
    this.#recent = recentMoves.filter(({ time }) => this.#now - Date.parse(time) < rules.moveInterval)
    this.#pending = new Map(clusters.flatMap((cluster) => this.#pendingMove(cluster, before.get(cluster.name))))
  }

  result(): FailoverDecision {
    this.#keepMinimum()
    this.#leave()
    this.#return()
    const future = this.#times.filter((time) => time > this.#now)
    return {
      excluded: sorted(this.#excluded.values()),
      pending: sorted(this.#pending.values()),
      recentMoves: this.#recent,
      moves: this.#moves,
      limit: this.#limit,
      nextAt: future.length === 0 ? undefined : new Date(Math.min(...future)),
    }
  }

  #pendingMove(cluster: FailoverCluster, before: PendingMove | undefined): [string, PendingMove][] {
    const { name: clusterName, score } = cluster
    const hasRecovered = score !== undefined && score > this.#rules.returnAbove
    const move = this.#excluded.has(clusterName) ? 'Return' : 'Leave'
    if (!(move === 'Return' ? hasRecovered : this.#isFailing(cluster))) return []
    const isOld = before?.move === move
    return [[clusterName, { clusterName, move, since: isOld ? before.since : this.#time }]]
  }

  #isFailing({ score }: FailoverCluster): boolean {
    return score === undefined ? this.#rules.isMissingFailing : score < this.#rules.leaveBelow
  }

  /** The clusters whose move has been pending for long enough. */
  #due(move: Move['move']): FailoverCluster[] {
    const { leaveAfter, returnAfter } = this.#rules
    return this.#clusters.filter(({ name }) => {
      const pending = this.#pending.get(name)
      if (pending?.move !== move) return false
      const dueAt = Date.parse(pending.since) + (move === 'Leave' ? leaveAfter : returnAfter)
      this.#times.push(dueAt)
      return dueAt <= this.#now
    })
  }

  #leave(): void {
    const due = this.#due('Leave').sort(byScore)
    if (due.length === 0) return
    const healthy = this.#remaining().filter((cluster) => !this.#isFailing(cluster)).length
    const { minClusters } = this.#rules
    if (healthy < minClusters) {
      const message = `${namesOf(due)} should leave, but ${healthy} other clusters match and are not failing, and minClusters is ${minClusters}`
      this.#limit = { reason: FailoverReason.MinClustersReached, message }
      return
    }
    for (const cluster of due) if (!cluster.isDecided) this.#exclude(cluster)
    this.#moveWithinLimit(
      'Leave',
      due.filter(({ isDecided }) => isDecided),
    )
  }

  #return(): void {
    const due = this.#due('Return').filter(({ name }) => this.#excluded.has(name))
    this.#moveWithinLimit('Return', due.sort(byScore).reverse())
  }

  #moveWithinLimit(move: Move['move'], due: readonly FailoverCluster[]): void {
    const { maxMoves, moveInterval } = this.#rules
    const allowed = Math.max(0, maxMoves - this.#recent.length)
    for (const cluster of due.slice(0, allowed)) {
      if (move === 'Leave') this.#exclude(cluster)
      else this.#readmit(cluster, `${this.#rules.scoreName} is ${cluster.score}`)
      this.#recent.push({ clusterName: cluster.name, move, time: this.#time })
    }
    const delayed = due.slice(allowed)
    if (delayed.length === 0) return
    const oldest = Math.min(...this.#recent.map(({ time }) => Date.parse(time)))
    this.#times.push(oldest + moveInterval)
    const message = `${namesOf(delayed)} should ${move.toLowerCase()}, but maxMoves is ${maxMoves} in ${humanDuration(moveInterval)}`
    this.#limit ??= { reason: FailoverReason.MaxMovesReached, message }
  }

  /** Readmits clusters, whatever their score, if the placement could select fewer than the minimum without them. */
  #keepMinimum(): void {
    const spare = this.#clusters.filter(({ name, isFeasible }) => isFeasible && this.#excluded.has(name))
    spare.sort(byScore).reverse()
    const missing = this.#rules.minClusters - this.#remaining().length
    for (const cluster of spare.slice(0, Math.max(0, missing))) {
      this.#readmit(cluster, `fewer than ${this.#rules.minClusters} other clusters match the placement`)
      this.#recent.push({ clusterName: cluster.name, move: 'Return', time: this.#time })
    }
  }

  /** The clusters that the placement can select. */
  #remaining(): FailoverCluster[] {
    return this.#clusters.filter(({ name, isFeasible }) => isFeasible && !this.#excluded.has(name))
  }

  #exclude({ name: clusterName, score }: FailoverCluster): void {
    const { scoreName, leaveBelow, leaveAfter } = this.#rules
    const duration = humanDuration(leaveAfter)
    const reason =
      score === undefined
        ? `${scoreName} was missing for ${duration}`
        : `${scoreName} is ${score}, and was below ${leaveBelow} for ${duration}`
    this.#excluded.set(clusterName, { clusterName, since: this.#time, reason })
    this.#pending.delete(clusterName)
    this.#moves.push({ clusterName, move: 'Leave', reason })
  }

  #readmit({ name: clusterName }: FailoverCluster, reason: string): void {
    this.#excluded.delete(clusterName)
    this.#pending.delete(clusterName)
    this.#moves.push({ clusterName, move: 'Return', reason })
  }

  get #time(): string {
    return formatTime(new Date(this.#now))
  }
}

/** Worst first. A missing score counts as worst here: it is due only if missing scores are failing. */
function byScore(a: FailoverCluster, b: FailoverCluster): number {
  const [one, other] = [a.score ?? Number.NEGATIVE_INFINITY, b.score ?? Number.NEGATIVE_INFINITY]
  return one === other ? (a.name < b.name ? -1 : 1) : one - other
}

const MAX_NAMES = 10

function namesOf(clusters: readonly FailoverCluster[]): string {
  const names = clusters.slice(0, MAX_NAMES).map(({ name }) => name)
  const rest = clusters.length - names.length
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function sorted<T extends { readonly clusterName: string }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1))
}
