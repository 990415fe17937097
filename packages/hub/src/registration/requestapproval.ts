import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  CSR_APPROVED_REASON,
  ManagedCluster,
  ManagedClusterCondition,
  REGISTER_GROUP,
  RegistrationEvent,
} from '@orrery/api'
import {
  approveRequest,
  type CallOptions,
  type ControllerSpec,
  conditionChanged,
  each,
  findCondition,
  isConditionTrue,
  isPending,
  type KubeClient,
} from '@orrery/kube'
import { CertificateSigningRequest, SubjectAccessReview } from '@orrery/kube/kinds'
import type { HubContext } from '../context.js'
import { type AgentName, readAgentRequest } from './agentrequest.js'
import { clusterReference } from './clusterreference.js'

const { Available, HubAccepted, Joined } = ManagedClusterCondition
const PENDING = 'pending-of-cluster'

const APPROVAL = {
  reason: CSR_APPROVED_REASON,
  message: 'Auto approving Managed cluster agent certificate after SubjectAccessReview.',
}

/**
 * Approves the requests for certificates of agents: a new one for an agent that has one and may renew it; the first one
 * only with the gate ManagedClusterAutoApproval, and of users who are trusted with it. Whatever else there is waits for a
 * person, and is looked at again when its cluster is let in or falls silent.
 */
export function requestApproval(context: HubContext): ControllerSpec {
  const { client, clock, events, features, informers, options } = context
  const requests = informers.of(CertificateSigningRequest, {
    labelSelector: `${CLUSTER_NAME_LABEL},!${ADDON_NAME_LABEL}`,
  })
  const clusters = informers.of(ManagedCluster)
  const trusted = new Set(features.ManagedClusterAutoApproval ? options.autoApprovedUsers : [])
  requests.addIndex(PENDING, (request) =>
    isPending(request) ? [request.metadata.labels?.[CLUSTER_NAME_LABEL] ?? ''] : [],
  )

  async function approve(request: CertificateSigningRequest, reason: string, call: CallOptions): Promise<void> {
    await approveRequest(client, request, APPROVAL, { ...call, clock })
    events.record({ regarding: request, reason, note: `request ${request.metadata.name} was approved` })
  }

  /**
   * Whether a trusted user must be kept from taking over a cluster that is alive. One whose agent says that its API is not
   * available is: the agent is there to say so.
   */
  function isTaken({ cluster: name, user }: AgentName, request: CertificateSigningRequest): boolean {
    const cluster = clusters.get({ name })
    const conditions = cluster?.status?.conditions
    if (cluster === undefined || options.approveTakenNames) return false
    const available = findCondition(conditions, Available)?.status ?? 'Unknown'
    if (!isConditionTrue(conditions, Joined) || available === 'Unknown') return false
    events.record({
      regarding: clusterReference(cluster),
      related: request,
      type: 'Warning',
      reason: RegistrationEvent.NameTaken,
      note: `${request.spec.username} asks to be ${user}, but cluster ${name} is there and alive: approve ${request.metadata.name} if that is right`,
    })
    return true
  }

  return {
    name: 'request-approval',
    concurrency: 10,
    wakes: [
      each(requests),
      each(clusters, ({ metadata }) => requests.byIndex(PENDING, metadata.name).map((request) => request.metadata), {
        when: conditionChanged(HubAccepted, Available),
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
      if (trusted.has(username) && !isTaken(agent, request)) {
        await approve(request, RegistrationEvent.ClusterAutoApproved, { signal })
      }
    },
  }
}

/** Asks whether who sent the request has the right to a new certificate: it goes when the cluster is thrown out. */
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
