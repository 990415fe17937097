import { clusterLeaseSeconds, type ManagedCluster, ManagedClusterCondition, ScoreCalculator } from '@orrery/api'
import type { Lease } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { leaseExpiry } from '@orrery/kube/lease'
import { checkedCalculator, type HubCalculator } from '../calculator.js'

/** Agents renew every 1 to 1.25 lease durations. A lease that is older than this is late. */
const PUNCTUAL_DURATIONS = 1.5
/** The default number of lease durations after which a cluster is unreachable. */
const EXPIRED_DURATIONS = 5
/** The health of a cluster whose lease is about to expire. Only an expired one counts as failed. */
const LATE_HEALTH = 50

/**
 * The health of a cluster as the hub sees it, from 0 to 100. It is 0 unless the cluster is available, decreases to 50 while the
 * agent is late to renew its lease, and is reduced by the share of nodes that are not ready.
 */
export const clusterHealth: HubCalculator = checkedCalculator({
  name: ScoreCalculator.ClusterHealth,
  runsOn: 'hub',
  periodSeconds: 30,
  readsScores: [ScoreCalculator.NodeHealth],
  calculate({ cluster, lease, scoreOf, now }) {
    if (!isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.Available)) return 0
    const nodes = scoreOf(ScoreCalculator.NodeHealth) ?? 100
    return Math.round((leaseHealth(cluster, lease, now) * Math.max(0, Math.min(100, nodes))) / 100)
  },
})

function leaseHealth(cluster: ManagedCluster, lease: Lease | undefined, now: Date): number {
  const renewed = lease && leaseExpiry(lease, 0)
  if (renewed === undefined) return 100
  const durations = (now.getTime() - renewed.getTime()) / (1_000 * clusterLeaseSeconds(cluster))
  const late = Math.min(1, Math.max(0, (durations - PUNCTUAL_DURATIONS) / (EXPIRED_DURATIONS - PUNCTUAL_DURATIONS)))
  return 100 - (100 - LATE_HEALTH) * late
}
