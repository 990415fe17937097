import {
  CLUSTER_LEASE,
  CLUSTER_NAME_LABEL,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  RegistrationEvent,
} from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { findCondition, formatMicroTime, hasCondition, isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, type Informers, isBeingDeleted, requeueAfter, writeConditions } from '@orrery/kube'
import type { SharedInformer } from '@orrery/kube/informer'
import { leaseExpiry } from '@orrery/kube/lease'
import type { HubContext } from '../context.js'
import { clusterReference } from './cluster-reference.js'
import { gracePeriod } from './grace-period.js'
import { handoverOf } from './handover.js'

const { Available, HubAccepted } = ManagedClusterCondition

/** Why it is unknown whether a cluster is available. */
interface UnknownCause {
  readonly type: 'Normal' | 'Warning'
  readonly reason: ManagedClusterReason
  readonly message: string
  readonly note: string
}

const EXPIRED: UnknownCause = {
  type: 'Warning',
  reason: ManagedClusterReason.LeaseUpdateStopped,
  message: 'Registration agent stopped updating its lease.',
  note: 'the lease expired',
}

const STOPPED: UnknownCause = {
  type: 'Normal',
  reason: ManagedClusterReason.AgentStopped,
  message: 'Registration agent was stopped.',
  note: 'the agent was stopped',
}

/** The informer of the leases that agents renew. */
export function clusterLeases(informers: Informers): SharedInformer<Lease> {
  return informers.of(Lease, { fieldSelector: `metadata.name=${CLUSTER_LEASE}` })
}

/** The cluster whose lease this is. */
export function leaseHolder({ metadata }: Lease): { name: string } {
  return { name: metadata.namespace }
}

/**
 * Creates the lease of each accepted cluster, and sets Available to Unknown when the lease expires. The agent sets it to
 * True again. A hub that was down, or cannot watch leases, has missed renewals itself: it waits as if every lease had just
 * been renewed. An agent that is stopped records that in its lease: then only the handover time is left for another agent.
 */
export function clusterLease(context: HubContext): ControllerSpec {
  const { client, clock, events, informers, options } = context
  const clusters = informers.of(ManagedCluster)
  const leases = clusterLeases(informers)
  const started = clock.elapsed()
  /** When each lease was last renewed, in elapsed time. */
  const renewals = new WeakMap<Lease, number>()

  /**
   * The last renewal, in elapsed time: the system time of the hub can be set. A cluster whose clock is ahead renews in the
   * future; then it counts from when the hub saw it.
   */
  function lastRenewalOf(lease: Lease): number {
    const known = renewals.get(lease)
    if (known !== undefined) return known
    const age = clock.now().getTime() - (leaseExpiry(lease, 0)?.getTime() ?? 0)
    const renewal = Math.max(clock.elapsed() - Math.max(age, 0), started)
    renewals.set(lease, renewal)
    return renewal
  }

  async function createLease(name: string, signal: AbortSignal): Promise<void> {
    const lease = {
      metadata: { namespace: name, name: CLUSTER_LEASE, labels: { [CLUSTER_NAME_LABEL]: name } },
      spec: { holderIdentity: CLUSTER_LEASE, renewTime: formatMicroTime(clock.now()) },
    }
    try {
      await client.create(Lease, lease, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async function setUnknown(cluster: ManagedCluster, why: UnknownCause, signal: AbortSignal): Promise<void> {
    if (hasCondition(cluster.status?.conditions, Available, 'Unknown')) return
    const { note, type, ...finding } = why
    await writeConditions(client, ManagedCluster, cluster, [{ type: Available, status: 'Unknown', ...finding }], {
      clock,
      signal,
    })
    events.record({
      regarding: clusterReference(cluster),
      type,
      reason: RegistrationEvent.AvailableUnknown,
      note: `the status of cluster ${cluster.metadata.name} is unknown: ${note}`,
    })
  }

  return {
    name: 'cluster-lease',
    concurrency: 10,
    wakes: [each(clusters), each(leases, leaseHolder)],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      if (cluster === undefined || findCondition(cluster.status?.conditions, HubAccepted) === undefined) return
      const ref = { namespace: name, name: CLUSTER_LEASE }
      const lease = leases.get(ref)
      if (lease === undefined)
        return isBeingDeleted(cluster) ? setUnknown(cluster, EXPIRED, signal) : createLease(name, signal)
      const grace = gracePeriod(cluster, options)
      const handover = handoverOf(lease)
      const left = lastRenewalOf(lease) + Math.min(grace, handover ?? grace) - clock.elapsed()
      if (left > 0) return requeueAfter(left)
      if (leases.health.failingSince !== undefined) return requeueAfter(grace)
      // Placements may move workloads because of this: read the lease, since informers lag behind.
      const latest = await client.find(Lease, ref, { signal })
      if (latest?.spec?.renewTime !== lease.spec?.renewTime) return requeueAfter(grace)
      await setUnknown(cluster, handover === undefined ? EXPIRED : STOPPED, signal)
    },
  }
}
