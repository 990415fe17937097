import type { Container, ContainerStatus, Pod, PodPhase, PodStatus } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import type { ContainerRun } from '../container/container-run.js'
import { containerStatusOf } from '../container/container-status.js'
import { conditionsOf } from './conditions.js'
import { phaseOf } from './phase.js'

/** What the node knows about a pod that it runs. */
export interface PodFacts {
  readonly containers: ReadonlyMap<string, ContainerRun>
  readonly startedAt: Date
  readonly hostIP: string
  readonly podIP: string
  readonly isPrepared: boolean
  /** Set if the node failed the pod. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
}

/** Computes the status of a pod from its containers. Fields of other owners stay. */
export function podStatusOf(pod: Pod, facts: PodFacts, now: Date): PodStatus {
  const { spec, metadata, status: before = {} } = pod
  const { failure, isPrepared, podIP, hostIP } = facts
  const initialising = !isInitialised(pod, facts)
  const statusesOf = (containers: readonly Container[], waits: boolean): ContainerStatus[] =>
    containers.flatMap((container) => {
      const run = facts.containers.get(container.name)
      return run === undefined ? [] : [containerStatusOf(container, run, waits && run.waiting?.message === undefined)]
    })
  const initStatuses = statusesOf(spec.initContainers ?? [], initialising)
  const statuses = statusesOf(spec.containers, initialising)
  const isEnding = failure !== undefined || metadata.deletionTimestamp !== undefined
  const isOver = [...facts.containers.values()].every(({ isRunning }) => !isRunning)
  const phase =
    reachedPhase(before.phase) ??
    (isOver && isEnding ? finalPhase(statuses, failure) : heldPhase(phaseOf(pod, initStatuses, statuses), failure))
  const { generation } = metadata
  return {
    ...before,
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    ...(phase === 'Failed' && failure),
    conditions: conditionsOf(
      pod,
      { phase, initStatuses, statuses, isPrepared: isPrepared && !isOver, played: playedOf(pod, facts) },
      now,
    ),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(isPrepared && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: before.startTime ?? formatTime(facts.startedAt),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
  }
}

/**
 * Returns whether the main containers may start: init containers have completed and sidecars have started. Once true,
 * it stays true.
 */
export function isInitialised({ spec }: Pod, { containers }: Pick<PodFacts, 'containers'>): boolean {
  const hasBegun = spec.containers.some(({ name }) => {
    const run = containers.get(name)
    return run !== undefined && (run.isRunning || run.terminated !== undefined)
  })
  if (hasBegun) return true
  return (spec.initContainers ?? []).every(({ name }) => {
    const run = containers.get(name)
    return run?.role === 'sidecar' ? run.started : run?.terminated?.exitCode === 0
  })
}

/** `Succeeded` and `Failed` are final. */
function reachedPhase(phase: PodPhase | undefined): PodPhase | undefined {
  return phase === 'Succeeded' || phase === 'Failed' ? phase : undefined
}

/**
 * Returns the phase of a pod with no running containers. A pod that the node failed is `Failed` even if its containers
 * exited with 0.
 */
function finalPhase(statuses: readonly ContainerStatus[], failure: PodFacts['failure']): PodPhase {
  if (failure !== undefined) return 'Failed'
  const succeeded = statuses.every(
    ({ state, lastState }) => (state?.terminated ?? lastState?.terminated)?.exitCode === 0,
  )
  return succeeded ? 'Succeeded' : 'Failed'
}

/** A pod that the node failed becomes `Failed` only after its last container has ended. */
function heldPhase(phase: PodPhase, failure: PodFacts['failure']): PodPhase {
  return failure === undefined || reachedPhase(phase) === undefined ? phase : 'Running'
}

/** Returns the played containers; undefined until this node has started a container of the pod. */
function playedOf({ spec }: Pod, { containers }: PodFacts): readonly Container[] | undefined {
  const all = [...(spec.initContainers ?? []), ...spec.containers]
  if (all.every(({ name }) => containers.get(name)?.isPlayed === undefined)) return undefined
  return all.filter(({ name }) => containers.get(name)?.isPlayed === true)
}
