import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column, wide } from './column.js'
import {
  conditionOf,
  dig,
  type Fields,
  fieldsOf,
  integer,
  isConditionTrue,
  itemsOf,
  spec,
  status,
  text,
  textOr,
} from './fields.js'
import { since } from './format.js'

/** The summary of the container states of a pod. */
interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  /** When a container last ended before a restart; empty if never. */
  readonly lastRestart: string
}

interface Tally {
  ready: number
  restarts: number
  lastRestart: string
}

interface InitProgress {
  readonly sidecars: Tally
  readonly all: Tally
  /** Why the pod is not initialised, as STATUS shows it. */
  readonly waitingFor: string | undefined
}

const NODE_LOST = 'NodeLost'

/** Row conditions of finished pods. */
export const FINISHED_POD = {
  Succeeded: { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
  Failed: { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
} as const

export const POD_COLUMNS: readonly Column[] = [
  column('Ready', 'Ready containers out of all containers.', (pod) => {
    const { ready, total } = summarise(pod)
    return `${ready}/${total}`
  }),
  column('Status', 'The status of the pod, or the reason of a problem.', (pod) => summarise(pod).status),
  column('Restarts', 'Number of restarts, and the time of the last one.', (pod, now) => {
    const { restarts, lastRestart } = summarise(pod)
    return restarts === 0 || lastRestart === '' ? `${restarts}` : `${restarts} (${since(lastRestart, now)} ago)`
  }),
  AGE,
  wide(column('IP', 'IP address of the pod.', (pod) => textOr(itemsOf(status(pod).podIPs)[0]?.ip, '<none>'))),
  wide(column('Node', 'Node of the pod.', (pod) => textOr(spec(pod).nodeName, '<none>'))),
  wide(
    column('Nominated Node', 'Node on which pods are preempted for this pod.', (pod) =>
      textOr(status(pod).nominatedNodeName, '<none>'),
    ),
  ),
  wide(column('Readiness Gates', 'Readiness gates that are true, out of all.', readinessGates)),
]

function summarise(pod: KubeObject): PodSummary {
  const podSpec = spec(pod)
  const podStatus = status(pod)
  const initContainers = itemsOf(podSpec.initContainers)
  const sidecarNames = new Set(initContainers.filter(isSidecar).map(({ name }) => name))
  const init = followInit(itemsOf(podStatus.initContainerStatuses), sidecarNames, initContainers.length)

  let reason = init.waitingFor ?? phaseReason(podStatus)
  let tally = init.waitingFor === undefined ? init.sidecars : { ...init.all, ready: init.sidecars.ready }
  if (init.waitingFor === undefined || isConditionTrue(podStatus.conditions, 'Initialized')) {
    tally = { ...init.sidecars }
    reason = followContainers(podStatus, reason, tally)
  }
  return {
    ready: tally.ready,
    total: itemsOf(podSpec.containers).length + sidecarNames.size,
    status: deletionReason(pod) ?? reason,
    restarts: tally.restarts,
    lastRestart: tally.lastRestart,
  }
}

function isSidecar(container: Fields): boolean {
  return container.restartPolicy === 'Always'
}

function phaseReason(podStatus: Fields): string {
  if (conditionOf(podStatus.conditions, 'PodScheduled')?.reason === 'SchedulingGated') return 'SchedulingGated'
  return textOr(podStatus.reason, text(podStatus.phase))
}

function deletionReason(pod: KubeObject): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined
  const { phase, reason } = status(pod)
  if (reason === NODE_LOST) return 'Unknown'
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

/** Visits init containers in order, up to the first that has not completed or started. */
function followInit(statuses: readonly Fields[], sidecarNames: ReadonlySet<unknown>, total: number): InitProgress {
  const all: Tally = { ready: 0, restarts: 0, lastRestart: '' }
  const sidecars: Tally = { ready: 0, restarts: 0, lastRestart: '' }
  for (const [index, container] of statuses.entries()) {
    const sidecar = sidecarNames.has(container.name)
    addRestarts(all, container)
    if (sidecar) addRestarts(sidecars, container)
    const terminated = dig(container, 'state', 'terminated')
    if (terminated !== undefined && integer(dig(terminated, 'exitCode')) === 0) continue
    if (sidecar && container.started === true) {
      if (container.ready === true) sidecars.ready++
      continue
    }
    return { all, sidecars, waitingFor: `Init:${initReason(container) ?? `${index}/${total}`}` }
  }
  return { all, sidecars, waitingFor: undefined }
}

function initReason(container: Fields): string | undefined {
  const { terminated, waiting } = fieldsOf(container.state)
  if (terminated !== undefined) return terminatedReason(fieldsOf(terminated))
  const reason = text(dig(waiting, 'reason'))
  return reason === '' || reason === 'PodInitializing' ? undefined : reason
}

/** Adds the containers to the tally and returns the status. The first container takes precedence. */
function followContainers(podStatus: Fields, initial: string, tally: Tally): string {
  let reason = initial
  let failure = ''
  let running = false
  for (const container of itemsOf(podStatus.containerStatuses).toReversed()) {
    addRestarts(tally, container)
    const state = fieldsOf(container.state)
    const waitingReason = text(dig(state.waiting, 'reason'))
    if (waitingReason !== '') {
      reason = waitingReason
    } else if (state.terminated !== undefined) {
      const terminated = fieldsOf(state.terminated)
      reason = terminatedReason(terminated)
      if (integer(terminated.exitCode) !== 0) failure = reason
    } else if (container.ready === true && state.running !== undefined) {
      running = true
      tally.ready++
    }
  }
  if (reason !== 'Completed') return reason
  if (running && isConditionTrue(podStatus.conditions, 'Ready')) return 'Running'
  if (failure !== '') return failure
  return running ? 'NotReady' : reason
}

function terminatedReason(terminated: Fields): string {
  const reason = text(terminated.reason)
  if (reason !== '') return reason
  const signal = integer(terminated.signal)
  return signal === 0 ? `ExitCode:${integer(terminated.exitCode)}` : `Signal:${signal}`
}

function addRestarts(tally: Tally, container: Fields): void {
  tally.restarts += integer(container.restartCount)
  const finishedAt = text(dig(container, 'lastState', 'terminated', 'finishedAt'))
  // Timestamps are RFC 3339 in UTC with seconds, so they sort as strings.
  if (finishedAt > tally.lastRestart) tally.lastRestart = finishedAt
}

function readinessGates(pod: KubeObject): string {
  const gates = itemsOf(spec(pod).readinessGates)
  if (gates.length === 0) return '<none>'
  const { conditions } = status(pod)
  const open = gates.filter((gate) => isConditionTrue(conditions, text(gate.conditionType)))
  return `${open.length}/${gates.length}`
}
