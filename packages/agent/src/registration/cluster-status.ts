import {
  type ClusterClaim,
  type ClusterProperty,
  type ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  type ManagedClusterStatus,
  RegistrationEvent,
} from '@orrery/api'
import type { Node } from '@orrery/kinds'
import { type Finding, findCondition, jsonEqual, setCondition } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import type { EventRecorder, NewEvent } from '@orrery/kube/events'
import type { Contention } from '../contention.js'
import type { ProbeFinding } from './apiserver-probe.js'
import { type ClaimRules, claimsOf, type ReportedClaims } from './claims.js'
import { isAccepted, isClockOff, reportStatus } from './cluster-report.js'
import { HUB_BACKOFF } from './registration-context.js'
import { resourcesOf } from './resources.js'
import { meanwhile } from './wakes.js'

export interface ClusterStatusContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  readonly nodes: Informer<Node>
  /** Undefined if claims are not reported. */
  readonly claims: Informer<ClusterClaim> | undefined
  readonly properties: Informer<ClusterProperty> | undefined
  readonly claimRules: ClaimRules
  readonly probe: { readonly finding: ProbeFinding }
  /** Wakes when the result of the probe changes. */
  readonly probeWake: Wake
  readonly events: EventRecorder
  readonly contention: Contention
}

const JOINED: Finding = {
  type: ManagedClusterCondition.Joined,
  status: 'True',
  reason: ManagedClusterReason.Joined,
  message: 'Managed cluster joined',
}

const AVAILABLE: Finding = {
  type: ManagedClusterCondition.Available,
  status: 'True',
  reason: ManagedClusterReason.Available,
  message: 'Managed cluster is available',
}

/** Reports that the cluster has joined, whether it is available, and its version, capacity and claims. */
export function clusterStatus(context: ClusterStatusContext): ControllerSpec {
  const { clusterName, clusters, nodes, claims, properties, probe } = context
  const ref = { name: clusterName }
  const optional = [nodes, claims, properties].filter((informer) => informer !== undefined)
  return {
    name: 'cluster-status',
    wakes: [
      always(clusters, ref),
      context.probeWake,
      ...optional.map((informer) => meanwhile(informer, clusters, ref)),
    ],
    backoff: HUB_BACKOFF,
    async reconcile(_, { client, clock, log, signal }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined || !isAccepted(cluster)) return undefined
      if (isClockOff(cluster)) {
        log.warn('the clock of this cluster is out of sync: the hub accepts no status until it is corrected')
        return undefined
      }
      const { finding } = probe
      const now = clock.now()
      const reported = claimsToReport(context)
      const turn = context.contention.turn('status')
      const own = ownStatus(finding, reported, context)
      const statusOf = ({ status = {} }: ManagedCluster) => turn.settle(status, merged(status, own, now), own)
      const after = await reportStatus(client, cluster, statusOf, signal)
      turn.done()
      for (const happening of happenings(cluster, after, reported, context)) context.events.record(happening)
      return turn.again
    },
  }
}

/** The part of the status that this agent writes. */
interface OwnStatus extends Pick<ManagedClusterStatus, 'version' | 'capacity' | 'allocatable' | 'clusterClaims'> {
  readonly conditions: readonly Finding[]
}

/** Fields with unknown values are absent: the reported values stay. */
function ownStatus(
  finding: ProbeFinding,
  reported: ReportedClaims | undefined,
  { nodes }: ClusterStatusContext,
): OwnStatus {
  if (finding.state === 'unclear') return { conditions: [JOINED] }
  const conditions = [JOINED, availability(finding)]
  if (finding.state === 'unavailable') return { conditions }
  return {
    conditions,
    version: { kubernetes: finding.version },
    ...(nodes.synced && resourcesOf(nodes.list())),
    ...(reported !== undefined && { clusterClaims: reported.claims }),
  }
}

function merged(status: ManagedClusterStatus, { conditions, ...fields }: OwnStatus, now: Date): ManagedClusterStatus {
  return {
    ...status,
    ...fields,
    // Others may add resources to the capacity.
    ...(fields.capacity !== undefined && { capacity: { ...status.capacity, ...fields.capacity } }),
    conditions: conditions.reduce((known, condition) => setCondition(known, condition, now), status.conditions ?? []),
  }
}

function availability(finding: Exclude<ProbeFinding, { state: 'unclear' }>): Finding {
  if (finding.state === 'available') return AVAILABLE
  return {
    type: ManagedClusterCondition.Available,
    status: 'False',
    reason: ManagedClusterReason.ApiServerUnavailable,
    message: finding.message,
  }
}

/** Undefined until all informers have synced: the reported claims stay. */
function claimsToReport({ claims, properties, claimRules }: ClusterStatusContext): ReportedClaims | undefined {
  if (claims === undefined && properties === undefined) return undefined
  if (claims?.synced === false || properties?.synced === false) return undefined
  return claimsOf(claims?.list() ?? [], properties?.list() ?? [], claimRules)
}

/** The events of a report. */
function happenings(
  before: ManagedCluster,
  after: ManagedCluster,
  reported: ReportedClaims | undefined,
  { clusterName, claimRules: { maxCustomClaims } }: ClusterStatusContext,
): NewEvent[] {
  const { apiVersion, kind, metadata } = after
  const regarding = { apiVersion, kind, name: clusterName, namespace: clusterName, uid: metadata.uid }
  const found: NewEvent[] = []
  const was = findCondition(before.status?.conditions, ManagedClusterCondition.Available)?.status
  const is = findCondition(after.status?.conditions, ManagedClusterCondition.Available)?.status
  if (is !== was && is === 'True') {
    const note = `The API server of ${clusterName} is available`
    found.push({ regarding, reason: RegistrationEvent.Available, note })
  } else if (is !== was && is === 'False') {
    const note = `The API server of ${clusterName} is unavailable`
    found.push({ regarding, type: 'Warning', reason: RegistrationEvent.Unavailable, note })
  }
  const left = (reported?.custom ?? 0) - maxCustomClaims
  if (left > 0 && !jsonEqual(before.status?.clusterClaims, after.status?.clusterClaims)) {
    const note = `${left} of ${reported?.custom} custom claims are not reported: the limit is ${maxCustomClaims}`
    found.push({ regarding, type: 'Warning', reason: RegistrationEvent.ClaimsTruncated, note })
  }
  return found
}
