import { type ManifestWork, WorkCondition, WorkReason } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import { awaiting } from '@orrery/kube/informer'
import { withTimeLimit } from '@orrery/kube/process'
import { currentCondition, hasCurrentCondition } from '../work/current-condition.js'
import { areAllThere, watchParts } from './workparts.js'

/** What to wait for: the objects of a work are applied, or ready. */
export type WorkGoal = 'applied' | 'ready'

/**
 * The stage of a work. `failed`: it needs a fix. `unknown`: it is applied, and the agent does not report readiness, as the
 * agents of Open Cluster Management do not.
 */
export type WorkStage = 'pending' | 'reached' | 'failed' | 'unknown'

/** A work, or its parts, and its stage. */
export interface WorkRollout {
  readonly stage: WorkStage
  readonly parts: readonly ManifestWork[]
}

export interface WorkRolloutOptions {
  /** Default `ready`. */
  readonly goal?: WorkGoal
  /** Called whenever the work changes. */
  readonly onChange?: (rollout: WorkRollout) => void
}

const { Applied, Available, Progressing, Degraded } = WorkCondition

/** A pod that crashes at the start is ready for a moment first. */
const SETTLING_MILLISECONDS = 2_000
/** Kinds whose readiness depends on pods. */
const WITH_PODS: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Pod',
])

/** The stage of a work with these parts, by the conditions of their latest generation. */
export function stageOf(parts: readonly ManifestWork[], goal: WorkGoal): WorkStage {
  if (!areAllThere(parts)) return 'pending'
  const stages = parts.map((part) => partStage(part, goal))
  for (const stage of ['failed', 'pending', 'unknown'] as const) if (stages.includes(stage)) return stage
  return 'reached'
}

function partStage(part: ManifestWork, goal: WorkGoal): WorkStage {
  const applied = currentCondition(part, Applied)
  if (applied === undefined) return 'pending'
  if (applied.status !== 'True') return 'failed'
  if (goal === 'applied') return 'reached'
  const progressing = currentCondition(part, Progressing)
  const degraded = currentCondition(part, Degraded)
  if (progressing === undefined && degraded === undefined)
    return hasCurrentCondition(part, Available, 'True') ? 'unknown' : 'pending'
  if (progressing?.status === 'True') {
    const isRuled = progressing.reason === WorkReason.RulesAggregated
    const hasFailed = isRuled ? degraded?.status === 'True' : progressing.reason === WorkReason.Failed
    return hasFailed ? 'failed' : 'pending'
  }
  return progressing?.status === 'False' && hasCurrentCondition(part, Available, 'True') ? 'reached' : 'pending'
}

/**
 * Resolves when a work has reached its goal on a cluster, or has failed. Objects whose readiness depends on pods have to stay
 * ready for a moment.
 */
export async function whenWorkRolledOut(
  client: KubeClient,
  cluster: string,
  name: string,
  signal: AbortSignal,
  { goal = 'ready', onChange }: WorkRolloutOptions = {},
): Promise<WorkRollout> {
  const until = (isWanted: (stage: WorkStage) => boolean, signal: AbortSignal) =>
    awaiting(
      client,
      (informers, onEvent) => {
        const partsNow = watchParts(informers, cluster, name, onEvent)
        return () => {
          const parts = partsNow()
          const rollout = { stage: stageOf(parts, goal), parts }
          onChange?.(rollout)
          return isWanted(rollout.stage) ? rollout : undefined
        }
      },
      signal,
    )
  for (;;) {
    const rollout = await until((stage) => stage !== 'pending', signal)
    if (rollout.stage !== 'reached' || goal === 'applied' || !rollout.parts.some(hasPods)) return rollout
    const hasSettled = await withTimeLimit(SETTLING_MILLISECONDS, signal, async (settling) => {
      try {
        await until((stage) => stage !== 'reached', settling)
        return false
      } catch (error) {
        if (signal.aborted || !settling.aborted) throw error
        return true
      }
    })
    if (hasSettled) return rollout
  }
}

function hasPods({ status }: ManifestWork): boolean {
  return status?.resourceStatus?.manifests?.some(({ resourceMeta }) => WITH_PODS.has(resourceMeta.kind ?? '')) ?? false
}
