import type { Container, ContainerStatus, Pod, PodCondition, PodPhase } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { PLAYED_CONDITION } from '../../conditions.js'
import { roleOf } from '../container/restart.js'

type Finding = Pick<PodCondition, 'type' | 'status'> & Partial<Pick<PodCondition, 'reason' | 'message'>>

export interface ConditionFacts {
  readonly phase: PodPhase
  readonly initStatuses: readonly ContainerStatus[]
  readonly statuses: readonly ContainerStatus[]
  /** Whether volumes and other requirements of the containers are ready. */
  readonly isPrepared: boolean
  /** The played containers; undefined if unknown, then the existing condition stays. */
  readonly played?: readonly Container[] | undefined
}

/** Returns the conditions of a pod: those of the kubelet recomputed, those of other owners unchanged. */
export function conditionsOf(pod: Pod, facts: ConditionFacts, now: Date): PodCondition[] {
  const known = pod.status?.conditions ?? []
  const containersReady = containersReadyOf(pod, facts)
  const findings: Finding[] = [
    readyToStart(facts),
    initialized(pod, facts),
    readyOf(pod, known, containersReady),
    containersReady,
    { type: 'PodScheduled', status: 'True' },
    ...playedCondition(facts),
  ]
  const own = findings.map((finding) => settled(pod, known, finding, now))
  const isGone = (type: string) => type === PLAYED_CONDITION && facts.played !== undefined
  const others = known.filter(({ type }) => !isGone(type) && !findings.some((finding) => finding.type === type))
  return [...own, ...others]
}

/** Returns a message that lists the played containers; undefined if there are none. */
function playedMessage(played: readonly Container[]): string | undefined {
  if (played.length === 0) return undefined
  const images = played.map(({ name, image = '' }) => `${name} (${image})`).join(', ')
  return `No program of this node is registered for the image of: ${images}. No process runs for it, its status is played`
}

function playedCondition({ played = [] }: ConditionFacts): Finding[] {
  const message = playedMessage(played)
  return message === undefined ? [] : [{ type: PLAYED_CONDITION, status: 'True', reason: 'NoProgram', message }]
}

function settled({ metadata }: Pod, known: readonly PodCondition[], finding: Finding, now: Date): PodCondition {
  const before = known.find(({ type }) => type === finding.type)
  const { generation } = metadata
  return {
    ...finding,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime:
      before?.status === finding.status && before.lastTransitionTime !== undefined
        ? before.lastTransitionTime
        : formatTime(now),
  }
}

function readyToStart({ isPrepared }: ConditionFacts): Finding {
  const type = 'PodReadyToStartContainers'
  return isPrepared ? { type, status: 'True' } : { type, status: 'False' }
}

function initialized({ spec }: Pod, { phase, initStatuses, statuses }: ConditionFacts): Finding {
  const type = 'Initialized'
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' }
  const hasBegun = statuses.some(({ restartCount, state }) => restartCount > 0 || state?.waiting === undefined)
  const incomplete = (spec.initContainers ?? []).filter((container, index) => {
    const status = initStatuses[index]
    return roleOf(container, true) === 'sidecar' ? status?.started !== true : status?.ready !== true
  })
  if (hasBegun || incomplete.length === 0) return { type, status: 'True' }
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`
  return { type, status: 'False', reason: 'ContainersNotInitialized', message }
}

function containersReadyOf({ spec }: Pod, { phase, initStatuses, statuses }: ConditionFacts): Finding {
  const type = 'ContainersReady'
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' }
  const sidecars = (spec.initContainers ?? []).filter(
    (container, index) => roleOf(container, true) === 'sidecar' && initStatuses[index]?.ready !== true,
  )
  const unready = [...sidecars, ...spec.containers.filter((_, index) => statuses[index]?.ready !== true)]
  if (unready.length === 0) return { type, status: 'True' }
  const message = `containers with unready status: [${namesOf(unready)}]`
  return { type, status: 'False', reason: 'ContainersNotReady', message }
}

function readyOf({ spec }: Pod, known: readonly PodCondition[], containersReady: Finding): Finding {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' }
  const unmet = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = known.find(({ type }) => type === conditionType)
    if (gate === undefined) {
      return [`corresponding condition of pod readiness gate ${JSON.stringify(conditionType)} does not exist.`]
    }
    if (gate.status === 'True') return []
    return [`the status of pod readiness gate ${JSON.stringify(conditionType)} is not "True", but ${gate.status}`]
  })
  if (unmet.length === 0) return { type: 'Ready', status: 'True' }
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: unmet.join(', ') }
}

function namesOf(containers: readonly { readonly name: string }[]): string {
  return containers.map(({ name }) => name).join(' ')
}
