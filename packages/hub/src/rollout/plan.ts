import type { RolloutStrategy } from '@orrery/api'
import { type ResolvedStrategy, resolveStrategy } from './strategy.js'
import type { ClusterGroup, ClusterProgress, Halt, RolloutPlan, Standing } from './types.js'

/** What one stage of a rollout does. The stages after it wait until it is over. */
interface Stage {
  readonly next: readonly string[]
  readonly halt?: Halt
  readonly isOver: boolean
}

/**
 * Says which clusters get a change now. Knows nothing but what it is given, so that asking again gives the same answer
 * until something happens or `recheckAt` comes.
 *
 * Mandatory groups go first, one after the other, and none of their clusters may fail. Then go the others: group by
 * group, or cluster by cluster in alphabetical order. A failure that may be holds the others up only until it is clear how
 * those fare that got the change with it.
 */
export function planRollout(
  strategy: RolloutStrategy,
  groups: readonly ClusterGroup[],
  progressOf: (cluster: string) => ClusterProgress,
  now: Date,
): RolloutPlan {
  const resolved = resolveStrategy(strategy)
  const inOrder = [...groups].sort((a, b) => a.index - b.index)
  const standings = new Map<string, Standing>()
  let recheckAt = Number.POSITIVE_INFINITY
  for (const cluster of inOrder.flatMap(({ clusters }) => [...clusters].sort())) {
    const { standing, until } = standingOf(progressOf(cluster), resolved, now.getTime())
    standings.set(cluster, standing)
    recheckAt = Math.min(recheckAt, until)
  }
  const { next, halt } = firstUnfinished(stagesOf(inOrder, resolved, standings))
  return {
    next,
    standings,
    ...(halt !== undefined && { halt }),
    ...(Number.isFinite(recheckAt) && { recheckAt: new Date(recheckAt) }),
  }
}

function* stagesOf(
  groups: readonly ClusterGroup[],
  strategy: ResolvedStrategy,
  standings: ReadonlyMap<string, Standing>,
): Generator<Stage> {
  const none = () => 0
  const everybody = (total: number) => total
  for (const group of groups.filter(strategy.isMandatory)) {
    yield stageOf(group.clusters, standings, none, everybody)
  }
  const others = groups.filter((group) => !strategy.isMandatory(group))
  if (strategy.byGroup) {
    for (const { clusters } of others) yield stageOf(clusters, standings, strategy.maxFailures, everybody)
    return
  }
  const rest = others.flatMap(({ clusters }) => clusters)
  // Failures are allowed among all clusters, not only among those that are not mandatory.
  yield stageOf(rest, standings, () => strategy.maxFailures(standings.size), strategy.maxConcurrency)
}

function stageOf(
  members: readonly string[],
  standings: ReadonlyMap<string, Standing>,
  maxFailures: (total: number) => number,
  maxConcurrency: (total: number) => number,
): Stage {
  const clusters = [...members].sort()
  const those = (...wanted: Standing[]) =>
    clusters.filter((cluster) => wanted.includes(standings.get(cluster) as Standing))
  const failed = those('failed', 'timedOut')
  const allowed = maxFailures(clusters.length)
  if (failed.length > allowed) return { next: [], halt: { clusters: failed, allowed }, isOver: false }
  const queued = those('queued')
  const busy = those('underway', 'settling').length
  // While it is open how the others fare, a failed one is not made up for by one more: the next may be one too many.
  const held = busy > 0 ? those('failed').length : 0
  const room = Math.max(maxConcurrency(clusters.length) - busy - held, 0)
  return { next: queued.slice(0, room), isOver: queued.length === 0 && busy === 0 }
}

function firstUnfinished(stages: Iterable<Stage>): Pick<Stage, 'next' | 'halt'> {
  for (const stage of stages) if (!stage.isOver) return stage
  return { next: [] }
}

/** Where a cluster stands, and until when at most. */
function standingOf(
  progress: ClusterProgress,
  { minSuccessTime, progressDeadline }: ResolvedStrategy,
  now: number,
): { standing: Standing; until: number } {
  const forEver = Number.POSITIVE_INFINITY
  if (progress.state === 'ToApply') return { standing: 'queued', until: forEver }
  const since = progress.since.getTime()
  if (progress.state === 'Succeeded') {
    const until = since + minSuccessTime
    return now < until ? { standing: 'settling', until } : { standing: 'done', until: forEver }
  }
  const until = since + progressDeadline
  if (now >= until) return { standing: 'timedOut', until: forEver }
  return { standing: progress.state === 'Failed' ? 'failed' : 'underway', until }
}
