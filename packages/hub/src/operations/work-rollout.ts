import { type ManifestWork, WorkCondition, WorkReason } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import { currentCondition, hasCurrentCondition } from '../work/current-condition.js'
import { awaiting } from './awaiting.js'
import { areAllThere, watchParts } from './workparts.js'

/** How far a cluster is to be with a work: its objects are written, or do what they should. */
export type WorkGoal = 'applied' | 'ready'

/**
 * Where a work is on its way. `failed`: it will not get there without help. `unknown`: it is applied, and the agent of the
 * cluster does not report readiness, as those of Open Cluster Management do not.
 */
export type WorkStage = 'pending' | 'reached' | 'failed' | 'unknown'

/** A work, or the parts that it was split into, and where it is. */
export interface WorkRollout {
  readonly stage: WorkStage
  readonly parts: readonly ManifestWork[]
}

export interface WorkRolloutOptions {
  /** Default that the work is ready. */
  readonly goal?: WorkGoal
  /** Hears of the work whenever it changes. */
  readonly onChange?: (rollout: WorkRollout) => void
}

const { Applied, Available, Progressing, Degraded } = WorkCondition

/** A pod that crashes as it starts is ready for a moment first. */
const SETTLING_MILLISECONDS = 2_000
/** Kinds whose readiness is that of pods. */
const WITH_PODS: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Pod',
])

/** Where a work is on its way, of which these are the parts, by what the agent says of their latest generation. */
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
 * Resolves when a cluster has come as far as wanted with all that a work wants now, or has failed to. What is ready by its
 * pods has to stay so for a moment.
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
    const settled = AbortSignal.timeout(SETTLING_MILLISECONDS)
    try {
      await until((stage) => stage !== 'reached', AbortSignal.any([signal, settled]))
    } catch (error) {
      if (signal.aborted || !settled.aborted) throw error
      return rollout
    }
  }
}

function hasPods({ status }: ManifestWork): boolean {
  return status?.resourceStatus?.manifests?.some(({ resourceMeta }) => WITH_PODS.has(resourceMeta.kind ?? '')) ?? false
}
