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
import {
  type ControllerSpec,
  each,
  type Informers,
  isBeingDeleted,
  leaseExpiry,
  requeueAfter,
  requeueAt,
  type SharedInformer,
  writeConditions,
} from '@orrery/kube'
import type { HubContext } from '../context.js'
import { clusterReference } from './cluster-reference.js'
import { gracePeriod } from './grace-period.js'
import { handoverOf } from './handover.js'

const { Available, HubAccepted } = ManagedClusterCondition

/** Why nobody knows whether a cluster is available. */
interface Silence {
  readonly type: 'Normal' | 'Warning'
  readonly reason: ManagedClusterReason
  readonly message: string
  readonly note: string
}

const EXPIRED: Silence = {
  type: 'Warning',
  reason: ManagedClusterReason.LeaseUpdateStopped,
  message: 'Registration agent stopped updating its lease.',
  note: 'the agent gives no sign of life',
}

const STOPPED: Silence = {
  type: 'Normal',
  reason: ManagedClusterReason.AgentStopped,
  message: 'Registration agent was stopped.',
  note: 'somebody has stopped the agent',
}

/** The informer for the leases by which clusters give signs of life. */
export function clusterLeases(informers: Informers): SharedInformer<Lease> {
  return informers.of(Lease, { fieldSelector: `metadata.name=${CLUSTER_LEASE}` })
}

/** The cluster whose lease this is. */
export function leaseHolder({ metadata }: Lease): { name: string } {
  return { name: metadata.namespace }
}

/**
 * Gives each cluster that was let in a lease to renew, and says at the very moment when it has been silent for too long.
 * Its agent says when it is back. A hub that was down, or cannot see the leases, has missed renewals itself: it waits as
 * long as for a cluster that has just been heard of. An agent that is stopped says so in its lease: then it is only waited
 * for another to take its place.
 */
export function clusterLease(context: HubContext): ControllerSpec {
  const { client, clock, events, informers, options } = context
  const clusters = informers.of(ManagedCluster)
  const leases = clusterLeases(informers)
  const started = clock.now().getTime()
  /** When a renewal was first seen here. */
  const seen = new WeakMap<Lease, number>()

  /** When a cluster last gave a sign of life. By a clock that is ahead it renews in the future, and is not alive until then. */
  function lastSign(lease: Lease): number {
    const renewed = leaseExpiry(lease, 0)?.getTime() ?? 0
    const seenAt = seen.get(lease) ?? clock.now().getTime()
    seen.set(lease, seenAt)
    return Math.max(Math.min(renewed, seenAt), started)
  }

  async function giveLease(name: string, signal: AbortSignal): Promise<void> {
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

  async function declareUnknown(cluster: ManagedCluster, why: Silence, signal: AbortSignal): Promise<void> {
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
      note: `${note} of cluster ${cluster.metadata.name}: whether it is available is unknown`,
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
        return isBeingDeleted(cluster) ? declareUnknown(cluster, EXPIRED, signal) : giveLease(name, signal)
      const grace = gracePeriod(cluster, options)
      const lastRenewal = lastSign(lease)
      const handover = handoverOf(lease)
      const expiry = new Date(lastRenewal + Math.min(grace, handover ?? grace))
      if (clock.now() < expiry) return requeueAt(expiry)
      if (leases.health.failingSince !== undefined) return requeueAfter(grace)
      // Workloads may move away on what is said now: make sure that no renewal is on its way.
      const latest = await client.find(Lease, ref, { signal })
      if (latest?.spec?.renewTime !== lease.spec?.renewTime) return requeueAfter(grace)
      await declareUnknown(cluster, handover === undefined ? EXPIRED : STOPPED, signal)
    },
  }
}
