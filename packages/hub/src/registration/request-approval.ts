import {
  CLUSTER_NAME_LABEL,
  CSR_APPROVED_REASON,
  ManagedCluster,
  ManagedClusterCondition,
  REGISTER_GROUP,
  RegistrationEvent,
} from '@orrery/api'
import { type CertificateSigningRequest, SubjectAccessReview } from '@orrery/kinds'
import { formatTime, isConditionTrue } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { annotationsChanged, anyOf, conditionChanged } from '@orrery/kube/controller'
import { approveRequest, isPending } from '@orrery/kube/csr'
import { refOfObject } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import { agentRequests, approvedRequests, ITS_AGENTS, latestApproved, pendingRequests } from './agent-registration.js'
import { type AgentName, readAgentRequest } from './agent-request.js'
import { accessInformers, type ClusterAccess } from './cluster-access.js'
import { clusterReference } from './cluster-reference.js'
import { firstRequestProblem } from './first-request.js'

const { Available, HubAccepted } = ManagedClusterCondition

const APPROVAL = {
  reason: CSR_APPROVED_REASON,
  message: 'Auto approving Managed cluster agent certificate after SubjectAccessReview.',
}

/**
 * Approves certificate requests of agents: renewals, if the agent has the permission; first requests only with the gate
 * ManagedClusterAutoApproval, of `autoApprovedUsers`, for clusters that they created. Other requests wait for an
 * administrator, and are checked again when their cluster changes.
 */
export function requestApproval(context: HubContext, access: ClusterAccess): ControllerSpec {
  const { client, clock, events, features, informers, options } = context
  const requests = agentRequests(informers)
  const clusters = informers.of(ManagedCluster)
  const { namespaces } = accessInformers(informers)
  const trusted = new Set(features.ManagedClusterAutoApproval ? options.autoApprovedUsers : [])
  /** The requests that the hub may approve. Others stay pending, however the cluster changes. */
  const pendingOf = (cluster: string) =>
    [ITS_AGENTS, ...trusted].flatMap((user) => pendingRequests(requests, cluster, user)).map(refOfObject)

  async function approve(request: CertificateSigningRequest, reason: string, call: CallOptions): Promise<void> {
    await approveRequest(client, request, APPROVAL, { ...call, clock })
    events.record({ regarding: request, reason, note: `request ${request.metadata.name} was approved` })
  }

  /** Approves a first request, or records an event with the reason why an administrator has to decide. */
  async function decideFirst(request: CertificateSigningRequest, agent: AgentName, call: CallOptions): Promise<void> {
    const cluster = clusters.get({ name: agent.cluster })
    // The agent creates the ManagedCluster before or after the request: until then the request stays pending.
    if (cluster === undefined || isBeingDeleted(cluster)) return
    const registration = async () =>
      access.registration(cluster, await latestApproved(cluster, approvedRequests(requests, agent.cluster)))
    const problem = await firstRequestProblem(request, agent, {
      cluster,
      pending: pendingRequests(requests, agent.cluster, request.spec.username ?? ''),
      registration,
      namespace: namespaces.get({ name: agent.cluster }),
      approveTakenNames: options.approveTakenNames,
    })
    if (problem === undefined) {
      await access.expect(cluster, { ...agent, approvedOn: formatTime(clock.now()) }, call)
      return approve(request, RegistrationEvent.ClusterAutoApproved, call)
    }
    const isAccepted = isConditionTrue(cluster.status?.conditions, HubAccepted)
    events.record({
      // One that has not been accepted has no namespace.
      regarding: isAccepted ? clusterReference(cluster) : cluster,
      related: request,
      type: 'Warning',
      ...problem,
    })
  }

  return {
    name: 'request-approval',
    concurrency: 10,
    // Requests are cluster-scoped, and one agent can create many.
    flowOf: (ref) => requests.get(ref)?.spec.username ?? '',
    wakes: [
      each(requests),
      // Several pending requests of one user for one cluster block each other until one of them is decided.
      each(
        requests,
        ({ metadata, spec: { username = '' } }) =>
          trusted.has(username)
            ? pendingRequests(requests, metadata.labels?.[CLUSTER_NAME_LABEL] ?? '', username).map(refOfObject)
            : undefined,
        {
          when: ({ before, after }) =>
            before !== undefined && isPending(before) && (after === undefined || !isPending(after)),
        },
      ),
      each(clusters, ({ metadata }) => pendingOf(metadata.name), {
        when: anyOf<ManagedCluster>(annotationsChanged, conditionChanged(HubAccepted, Available)),
      }),
    ],
    async reconcile({ name }, { log, signal }) {
      const request = requests.get({ name })
      if (request === undefined || !isPending(request)) return
      const reading = await readAgentRequest(request)
      if ('problem' in reading) return log.debug('not the request of an agent', { why: reading.problem })
      const { agent } = reading
      const { username = '' } = request.spec
      if (username === agent.user) {
        const accepted = clusters.get({ name: agent.cluster })?.spec?.hubAcceptsClient === true
        if (!accepted || !(await mayRenew(client, request, { signal }))) {
          return log.debug('the agent may not renew its certificate', { cluster: agent.cluster })
        }
        return approve(request, RegistrationEvent.CsrAutoApproved, { signal })
      }
      if (!trusted.has(username)) return
      await access.inTurn(agent.cluster, () => decideFirst(request, agent, { signal }))
    },
  }
}

/** Whether the agent may renew its certificate: it loses the permission when the cluster is denied. */
async function mayRenew(client: KubeClient, request: CertificateSigningRequest, call: CallOptions): Promise<boolean> {
  const { username = '', uid = '', groups = [], extra = {} } = request.spec
  const resourceAttributes = {
    group: REGISTER_GROUP,
    resource: 'managedclusters',
    subresource: 'clientcertificates',
    verb: 'renew',
  }
  const review = { metadata: {}, spec: { user: username, uid, groups, extra, resourceAttributes } }
  const { status } = await client.create(SubjectAccessReview, review, call)
  return status?.allowed === true
}
