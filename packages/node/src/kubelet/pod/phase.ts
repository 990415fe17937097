import type { ContainerState, ContainerStatus, Pod, PodPhase } from '@orrery/kinds'
import { roleOf, runsAgain } from '../container/restart.js'

/** Returns the phase of a pod from its container states. Containers without a state have not started. */
export function phaseOf(
  pod: Pod,
  initStatuses: readonly ContainerStatus[],
  statuses: readonly ContainerStatus[],
): PodPhase {
  const main = statuses.map((status) => endOf(status.state, status.lastState))
  for (const [index, container] of (pod.spec.initContainers ?? []).entries()) {
    const role = roleOf(container, true)
    if (role === 'sidecar') continue
    const end = endOf(initStatuses[index]?.state, initStatuses[index]?.lastState)
    if (typeof end !== 'object') return 'Pending'
    if (end.exitCode !== 0) return runsAgain(pod, container, role, end) ? 'Pending' : 'Failed'
  }
  if (main.length < pod.spec.containers.length || main.includes('waiting')) return 'Pending'
  if (main.includes('running')) return 'Running'
  const ends = main.filter((end) => typeof end === 'object')
  const isOver = pod.spec.containers.every((container, index) => {
    const end = ends[index]
    return end !== undefined && !runsAgain(pod, container, 'main', end)
  })
  if (!isOver) return 'Running'
  return ends.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed'
}

/**
 * Returns whether a container is running, not started, or how it ended; one that waits for a restart counts as ended.
 */
function endOf(
  state: ContainerState | undefined,
  lastState: ContainerState | undefined,
): 'running' | 'waiting' | NonNullable<ContainerState['terminated']> {
  if (state?.running !== undefined) return 'running'
  return state?.terminated ?? lastState?.terminated ?? 'waiting'
}
