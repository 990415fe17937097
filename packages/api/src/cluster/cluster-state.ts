import type { ConditionStatus } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { ManagedClusterCondition } from './conditions.js'
import type { ManagedCluster } from './managed-cluster.js'

/**
 * The phase of a cluster on its hub.
 *
 * | phase       | hubAcceptsClient | HubAccepted | Joined   | Available |
 * |-------------|------------------|-------------|----------|-----------|
 * | pending     | not true         | not set     |          |           |
 * | denied      | not true         | set         |          |           |
 * | refused     | true             | False       |          |           |
 * | accepted    | true             | not False   | not True | not set   |
 * | joined      | true             | not False   | True     | not set   |
 * | available   | true             | not False   |          | True      |
 * | unavailable | true             | not False   |          | not True  |
 *
 * `refused` is a cluster that an administrator accepts and the hub cannot: the condition's message says why.
 */
export type ClusterPhase = 'pending' | 'denied' | 'refused' | 'accepted' | 'joined' | 'available' | 'unavailable'

/** The state of a cluster on its hub: what every list, metric, report and check goes by. */
export interface ClusterState {
  readonly phase: ClusterPhase
  /** Whether an administrator accepts the cluster, and the hub does not refuse it. */
  readonly isAccepted: boolean
  readonly isDetaching: boolean
  /** The status of the condition `ManagedClusterJoined`; Unknown if it is not set. */
  readonly joined: ConditionStatus
  /** The status of the condition `ManagedClusterConditionAvailable`; Unknown if it is not set. */
  readonly available: ConditionStatus
}

/** The state of a cluster, from its spec and conditions. */
export function clusterStateOf({ metadata, spec, status }: ManagedCluster): ClusterState {
  const statusOf = (type: string) => findCondition(status?.conditions, type)?.status
  const accepted = statusOf(ManagedClusterCondition.HubAccepted)
  const joined = statusOf(ManagedClusterCondition.Joined)
  const available = statusOf(ManagedClusterCondition.Available)
  const phase = phaseOf(spec?.hubAcceptsClient === true, accepted, joined, available)
  return {
    phase,
    isAccepted: !UNACCEPTED.has(phase),
    isDetaching: metadata.deletionTimestamp !== undefined,
    joined: joined ?? 'Unknown',
    available: available ?? 'Unknown',
  }
}

const UNACCEPTED: ReadonlySet<ClusterPhase> = new Set(['pending', 'denied', 'refused'])

type Status = ConditionStatus | undefined

function phaseOf(hubAcceptsClient: boolean, accepted: Status, joined: Status, available: Status): ClusterPhase {
  if (!hubAcceptsClient) return accepted === undefined ? 'pending' : 'denied'
  if (accepted === 'False') return 'refused'
  if (available !== undefined) return available === 'True' ? 'available' : 'unavailable'
  return joined === 'True' ? 'joined' : 'accepted'
}
