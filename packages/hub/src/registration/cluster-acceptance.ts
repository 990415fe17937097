import {
  CLUSTER_FINALIZER,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  ManifestWork,
  RegistrationEvent,
} from '@orrery/api'
import { type Finding, findCondition, isConflict, StatusError } from '@orrery/kinds/values'
import {
  addFinalizer,
  type ControllerSpec,
  each,
  generationChanged,
  isBeingDeleted,
  removeFinalizer,
  writeConditions,
} from '@orrery/kube'
import { anyOf, conditionChanged, finalizersChanged } from '@orrery/kube/controller'
import { isApproved } from '@orrery/kube/csr'
import type { HubContext } from '../context.js'
import { agentRequests, approvedRequests, hasAgent, latestApproved, type Registration } from './agent-registration.js'
import { accessInformers, type ClusterAccess, labelledCluster } from './cluster-access.js'
import { clusterNameProblem } from './cluster-name.js'
import { clusterReference } from './cluster-reference.js'
import { ensureSharedRoles } from './shared-roles.js'

const { HubAccepted } = ManagedClusterCondition

const ACCEPTED: Finding = {
  type: HubAccepted,
  status: 'True',
  reason: ManagedClusterReason.HubAdminAccepted,
  message: 'Accepted by hub cluster admin',
}

const DENIED: Finding = {
  type: HubAccepted,
  status: 'False',
  reason: ManagedClusterReason.HubAdminDenied,
  message: 'Denied by hub cluster admin',
}

/**
 * Creates the namespace of an accepted cluster and grants its agent access, and revokes the access when the cluster is
 * denied or detached. The namespace stays, since it holds objects of users. The agent is the one whose first certificate was
 * approved last in the lifetime of the ManagedCluster: certificates of earlier clusters of the same name grant nothing.
 *
 * | the cluster is | permissions of its agent                     |
 * |----------------|----------------------------------------------|
 * | new            | none: its role has no rules                  |
 * | accepted       | all that it needs                            |
 * | denied         | read its ManagedCluster                      |
 * | being deleted  | read and update its works, until all are gone |
 * | deleted        | none                                         |
 */
export function clusterAcceptance(context: HubContext, access: ClusterAccess): ControllerSpec {
  const { client, clock, events, informers } = context
  const clusters = informers.of(ManagedCluster)
  const works = informers.metadataOf(ManifestWork)
  const known = accessInformers(informers)
  const requests = agentRequests(informers)

  async function registrationOf(cluster: ManagedCluster): Promise<Registration> {
    return access.registration(
      cluster,
      await latestApproved(cluster, approvedRequests(requests, cluster.metadata.name)),
    )
  }

  async function accept(cluster: ManagedCluster, signal: AbortSignal): Promise<void> {
    const { name } = cluster.metadata
    const problem = clusterNameProblem(name)
    if (problem !== undefined) {
      await access.revoke(name, false, { signal })
      return refuse(cluster, `the name ${name} is not allowed: ${problem}`, signal)
    }
    const registration = await registrationOf(cluster)
    const held = await addFinalizer(client, ManagedCluster, cluster, CLUSTER_FINALIZER, { signal })
    try {
      await Promise.all([
        access.ensureNamespace(name, registration, { signal }),
        ensureSharedRoles(context, known.roles, { signal }),
      ])
      await access.grant(name, registration, works.list(name).length > 0, { signal })
    } catch (error) {
      if (isPermanent(error)) await refuse(held, error.message, signal)
      throw error
    }
    await writeConditions(client, ManagedCluster, held, [ACCEPTED], { clock, signal })
    if (hasReason(cluster, ACCEPTED)) return
    events.record({
      regarding: clusterReference(cluster),
      reason: RegistrationEvent.ClusterAccepted,
      note: `cluster ${name} was accepted: its namespace and permissions were created`,
    })
  }

  async function refuse(cluster: ManagedCluster, message: string, signal: AbortSignal): Promise<void> {
    const finding: Finding = { type: HubAccepted, status: 'False', reason: ManagedClusterReason.Error, message }
    await writeConditions(client, ManagedCluster, cluster, [finding], { clock, signal })
  }

  async function deny(cluster: ManagedCluster, signal: AbortSignal): Promise<void> {
    const { name } = cluster.metadata
    const wasKnown = findCondition(cluster.status?.conditions, HubAccepted) !== undefined
    const isNameFine = clusterNameProblem(name) === undefined
    const registration = await registrationOf(cluster)
    if (!wasKnown && !access.exists(name)) {
      // Requests are deleted an hour after they were approved: the cluster may be accepted later.
      if (isNameFine && hasAgent(registration)) await access.record(name, registration, { signal })
      return
    }
    if (isNameFine) await access.restrict(name, registration, { signal })
    else await access.revoke(name, false, { signal })
    await writeConditions(client, ManagedCluster, cluster, [DENIED], { clock, signal })
    if (hasReason(cluster, DENIED)) return
    events.record({
      regarding: clusterReference(cluster),
      type: 'Warning',
      reason: RegistrationEvent.ClusterDenied,
      note: `cluster ${name} was denied: the permissions of its agent were revoked`,
    })
  }

  async function settle(name: string, signal: AbortSignal): Promise<void> {
    const cluster = clusters.get({ name })
    if (cluster !== undefined && !isBeingDeleted(cluster)) {
      return cluster.spec?.hubAcceptsClient === true ? accept(cluster, signal) : deny(cluster, signal)
    }
    const hasWorks = works.list(name).length > 0
    await access.revoke(name, hasWorks, { signal })
    if (cluster === undefined || hasWorks) return
    await removeFinalizer(client, ManagedCluster, cluster, CLUSTER_FINALIZER, { signal })
  }

  return {
    name: 'cluster-acceptance',
    concurrency: 10,
    wakes: [
      each(clusters, undefined, {
        when: anyOf<ManagedCluster>(generationChanged, finalizersChanged, conditionChanged(HubAccepted)),
      }),
      each(works, ({ metadata }) => ({ name: metadata.namespace as string }), {
        when: ({ type }) => type === 'deleted',
      }),
      each(requests, labelledCluster, {
        when: ({ before, after }) =>
          after !== undefined && isApproved(after) && (before === undefined || !isApproved(before)),
      }),
      ...Object.values(known).map((informer) => each(informer, labelledCluster)),
    ],
    reconcile: ({ name }, { signal }) => access.inTurn(name, () => settle(name, signal)),
  }
}

function hasReason({ status }: ManagedCluster, finding: Finding): boolean {
  return findCondition(status?.conditions, HubAccepted)?.reason === finding.reason
}

/** Whether the error is permanent. Errors that a retry may fix are not reported in the condition. */
function isPermanent(error: unknown): error is StatusError {
  return (
    error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429 && !isConflict(error)
  )
}
