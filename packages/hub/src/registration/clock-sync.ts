import {
  CLUSTER_LEASE,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  RegistrationEvent,
  SKIP_CLOCK_SYNC_ANNOTATION,
} from '@orrery/api'
import { type Finding, hasCondition } from '@orrery/kinds/values'
import { type ControllerSpec, each, writeConditions } from '@orrery/kube'
import { leaseExpiry } from '@orrery/kube/lease'
import type { HubContext } from '../context.js'
import { clusterLeases, leaseHolder } from './cluster-lease.js'
import { clusterReference } from './cluster-reference.js'
import { gracePeriod } from './grace-period.js'

const SYNCED: Finding = {
  type: ManagedClusterCondition.ClockSynced,
  status: 'True',
  reason: ManagedClusterReason.ClockSynced,
  message: 'The clock of the managed cluster is synced with the hub.',
}

const OUT_OF_SYNC: Finding = {
  type: ManagedClusterCondition.ClockSynced,
  status: 'False',
  reason: ManagedClusterReason.ClockOutOfSync,
  message:
    'The clock of hub and agent is out of sync. This may cause the Unknown status and affect agent functionalities.',
}

/** Compares the clocks of cluster and hub whenever an agent renews its lease. */
export function clockSync({ client, clock, events, informers, options }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const leases = clusterLeases(informers)
  return {
    name: 'clock-sync',
    concurrency: 10,
    wakes: [
      each(leases, leaseHolder, {
        when: ({ before, after }) => before !== undefined && before.spec?.renewTime !== after?.spec?.renewTime,
      }),
    ],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      const lease = leases.get({ namespace: name, name: CLUSTER_LEASE })
      const renewed = lease && leaseExpiry(lease, 0)
      if (cluster === undefined || renewed === undefined) return
      const isSkipped = cluster.metadata.annotations?.[SKIP_CLOCK_SYNC_ANNOTATION] === 'true'
      const difference = Math.abs(clock.now().getTime() - renewed.getTime())
      const finding = isSkipped || difference < gracePeriod(cluster, options) ? SYNCED : OUT_OF_SYNC
      if (hasCondition(cluster.status?.conditions, finding.type, finding.status)) return
      await writeConditions(client, ManagedCluster, cluster, [finding], { clock, signal })
      events.record({
        regarding: clusterReference(cluster),
        type: finding.status === 'True' ? 'Normal' : 'Warning',
        reason: RegistrationEvent.ClockSyncedUpdated,
        note: `the clocks of cluster ${name} and the hub ${finding.status === 'True' ? 'are in sync' : `differ by ${difference} ms`}`,
      })
    },
  }
}
