import type { RolloutStrategy } from '@orrery/api'
import type { DecisionGroup } from '../placement/index.js'
import { type ResolvedStrategy, resolveStrategy } from './strategy.js'
import type { ClusterProgress, MaxFailuresBreach, RolloutPlan, RolloutStatus } from './types.js'

/** A batch of a rollout. The batches after it wait until it is complete. */
interface Batch {
  readonly next: readonly string[]
  readonly breach?: MaxFailuresBreach
  readonly isComplete: boolean
}

/**
 * Decides which clusters get a change now. It is a pure function of its arguments: the result stays the same until the
 * progress of a cluster changes or `recheckAt` is reached. It corresponds to `RolloutHandler` of Open Cluster Management's
 * SDK. Throws a `RangeError` about a strategy that is not valid.
 *
 * Mandatory decision groups go first, one after the other, and tolerate no failures. The others follow: group by group, or
 * cluster by cluster in alphabetical order. A failure within `maxFailures` holds up the rollout only until every cluster
 * that got the change with it has succeeded or failed.
 */
export function planRollout(
  strategy: RolloutStrategy,
  groups: readonly DecisionGroup[],
  progressOf: (cluster: string) => ClusterProgress,
  now: Date,
): RolloutPlan {
  const resolved = resolveStrategy(strategy)
  const inOrder = [...groups].sort((a, b) => a.index - b.index)
  const statuses = new Map<string, RolloutStatus>()
  let recheckAt = Number.POSITIVE_INFINITY
  for (const cluster of inOrder.flatMap(({ clusters }) => [...clusters].sort())) {
    const { status, until } = statusOf(progressOf(cluster), resolved, now.getTime())
    statuses.set(cluster, status)
    recheckAt = Math.min(recheckAt, until)
  }
  const { next, breach } = firstIncomplete(batchesOf(inOrder, resolved, statuses))
  return {
    next,
    statuses,
    ...(breach !== undefined && { breach }),
    ...(Number.isFinite(recheckAt) && { recheckAt: new Date(recheckAt) }),
  }
}

function* batchesOf(
  groups: readonly DecisionGroup[],
  strategy: ResolvedStrategy,
  statuses: ReadonlyMap<string, RolloutStatus>,
): Generator<Batch> {
  const none = () => 0
  const all = (total: number) => total
  for (const group of groups.filter(strategy.isMandatory)) {
    yield batchOf(group.clusters, statuses, none, all)
  }
  const others = groups.filter((group) => !strategy.isMandatory(group))
  if (strategy.byGroup) {
    for (const { clusters } of others) yield batchOf(clusters, statuses, strategy.maxFailures, all)
    return
  }
  const rest = others.flatMap(({ clusters }) => clusters)
  // A percentage of failures counts all clusters, mandatory ones included.
  yield batchOf(rest, statuses, () => strategy.maxFailures(statuses.size), strategy.maxConcurrency)
}

function batchOf(
  members: readonly string[],
  statuses: ReadonlyMap<string, RolloutStatus>,
  maxFailures: (total: number) => number,
  maxConcurrency: (total: number) => number,
): Batch {
  const clusters = [...members].sort()
  const having = (...wanted: RolloutStatus[]) =>
    clusters.filter((cluster) => wanted.includes(statuses.get(cluster) as RolloutStatus))
  const failed = having('Failed', 'TimeOut')
  const allowed = maxFailures(clusters.length)
  if (failed.length > allowed) {
    return { next: [], breach: { clusters: failed, maxFailures: allowed }, isComplete: false }
  }
  const waiting = having('ToApply')
  const inProgress = having('Progressing', 'Settling').length
  // While others are in progress, a failed cluster keeps its slot: one of them may exceed maxFailures.
  const occupied = inProgress > 0 ? having('Failed').length : 0
  const free = Math.max(maxConcurrency(clusters.length) - inProgress - occupied, 0)
  return { next: waiting.slice(0, free), isComplete: waiting.length === 0 && inProgress === 0 }
}

function firstIncomplete(batches: Iterable<Batch>): Pick<Batch, 'next' | 'breach'> {
  for (const batch of batches) if (!batch.isComplete) return batch
  return { next: [] }
}

/** The status of a cluster, and until when it holds at most. */
function statusOf(
  progress: ClusterProgress,
  { minSuccessTime, progressDeadline }: ResolvedStrategy,
  now: number,
): { status: RolloutStatus; until: number } {
  const forever = Number.POSITIVE_INFINITY
  if (progress.state === 'ToApply') return { status: 'ToApply', until: forever }
  const since = progress.since.getTime()
  if (progress.state === 'Succeeded') {
    const until = since + minSuccessTime
    return now < until ? { status: 'Settling', until } : { status: 'Succeeded', until: forever }
  }
  const until = since + progressDeadline
  if (now >= until) return { status: 'TimeOut', until: forever }
  return { status: progress.state, until }
}
