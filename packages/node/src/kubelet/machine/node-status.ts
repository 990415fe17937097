import type { Node, NodeCondition, NodeStatus, NodeSystemInfo } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { ISOLATION_CONDITION } from '../../conditions.js'
import type { Resources } from './machine.js'

/** What a node reports about itself. */
export interface NodeFacts {
  readonly name: string
  readonly address: string
  readonly capacity: Resources
  readonly allocatable: Resources
  readonly info: NodeSystemInfo
  /** Why programs are not isolated; undefined if they are. */
  readonly unisolated: string | undefined
}

/** How often the node status is written without changes. The node lease is renewed much more often. */
const HEARTBEAT = 5 * 60_000

type Finding = Omit<NodeCondition, 'lastHeartbeatTime' | 'lastTransitionTime'>

const FINDINGS: readonly Finding[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
]

/**
 * Returns the status of a ready node. Conditions of other owners stay. Times change when a condition changes or a
 * heartbeat is due.
 */
export function nodeStatusOf({ status = {} }: Pick<Node, 'status'>, facts: NodeFacts, now: Date): NodeStatus {
  const known = status.conditions ?? []
  const isDue = now >= heartbeatDue(status)
  const findings = [...FINDINGS, isolationFinding(facts)]
  const conditions = findings.map((finding) => {
    const before = known.find(({ type }) => type === finding.type)
    const isSame = before?.status === finding.status && before.reason === finding.reason
    const time = formatTime(now)
    return {
      ...finding,
      lastHeartbeatTime: isSame && !isDue ? (before.lastHeartbeatTime ?? time) : time,
      lastTransitionTime: before?.status === finding.status ? (before.lastTransitionTime ?? time) : time,
    }
  })
  const { name, address, capacity, allocatable, info } = facts
  return {
    ...status,
    capacity: { ...capacity },
    allocatable: { ...allocatable },
    conditions: [...conditions, ...known.filter(({ type }) => !findings.some((finding) => finding.type === type))],
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: info,
  }
}

function isolationFinding({ unisolated }: NodeFacts): Finding {
  const type = ISOLATION_CONDITION
  if (unisolated === undefined) {
    const message = 'programs run in their own namespaces and cannot see the files of this machine'
    return { type, status: 'True', reason: 'NamespacesAvailable', message }
  }
  const message = `programs run as ordinary processes of this machine: ${unisolated}`
  return { type, status: 'False', reason: 'NamespacesUnavailable', message }
}

/** Returns when the next status heartbeat is due. */
export function heartbeatDue({ conditions }: NodeStatus): Date {
  const last = conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime
  return new Date(last === undefined ? 0 : Date.parse(last) + HEARTBEAT)
}
