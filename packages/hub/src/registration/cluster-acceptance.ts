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
  anyOf,
  type ControllerSpec,
  conditionChanged,
  each,
  finalizersChanged,
  generationChanged,
  isApproved,
  isBeingDeleted,
  removeFinalizer,
  writeConditions,
} from '@orrery/kube'
import type { HubContext } from '../context.js'
import { agentRequests, approvedRequests, hasAgent, latestApproved, type Registration } from './agent-registration.js'
import { accessInformers, type ClusterAccess, labelledCluster } from './cluster-access.js'
import { clusterNameProblem } from './cluster-name.js'
import { clusterReference } from './cluster-reference.js'
import { makeSharedRoles } from './shared-roles.js'

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
 * Gives a cluster that an administrator lets in a namespace on the hub and its agent the rights it needs there, and takes
 * the rights away when the cluster is thrown out or detached. The namespace stays: it holds what people made. The agent is
 * the one whose first certificate was approved last in the life of the ManagedCluster: certificates that were issued for
 * earlier clusters of the same name are good for nothing.
 *
 * | the cluster is      | its agent may                                                |
 * |---------------------|--------------------------------------------------------------|
 * | new                 | nothing: its role has no rules                               |
 * | accepted            | all it needs                                                 |
 * | denied              | see its ManagedCluster, from the moment this is noticed      |
 * | being deleted       | work on its works, until none is left                        |
 * | gone                | nothing                                                      |
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
      return refuse(cluster, `the cluster cannot be called ${name}: ${problem}`, signal)
    }
    const registration = await registrationOf(cluster)
    const held = await addFinalizer(client, ManagedCluster, cluster, CLUSTER_FINALIZER, { signal })
    try {
      await Promise.all([
        access.makeNamespace(name, registration, { signal }),
        makeSharedRoles(context, known.roles, { signal }),
      ])
      await access.grant(name, registration, works.list(name).length > 0, { signal })
    } catch (error) {
      if (isRefusal(error)) await refuse(held, error.message, signal)
      throw error
    }
    await writeConditions(client, ManagedCluster, held, [ACCEPTED], { clock, signal })
    if (says(cluster, ACCEPTED)) return
    events.record({
      regarding: clusterReference(cluster),
      reason: RegistrationEvent.ClusterAccepted,
      note: `cluster ${name} was let in: its namespace and rights are there`,
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
    if (says(cluster, DENIED)) return
    events.record({
      regarding: clusterReference(cluster),
      type: 'Warning',
      reason: RegistrationEvent.ClusterDenied,
      note: `cluster ${name} was thrown out: its agent has no rights any more`,
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

function says({ status }: ManagedCluster, finding: Finding): boolean {
  return findCondition(status?.conditions, HubAccepted)?.reason === finding.reason
}

/** Whether the server will say the same again: what may go by itself is not worth telling the agent. */
function isRefusal(error: unknown): error is StatusError {
  return (
    error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429 && !isConflict(error)
  )
}
