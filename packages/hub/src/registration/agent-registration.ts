import {
  ADDON_NAME_LABEL,
  AGENT_SUBJECT_PREFIX,
  APPROVED_ON_ANNOTATION,
  CLUSTER_NAME_LABEL,
  type ManagedCluster,
  REGISTRATION_ANNOTATION,
} from '@orrery/api'
import {
  CertificateSigningRequest,
  ClusterRole,
  type ClusterRoleBinding,
  type RoleBinding,
  type Subject,
} from '@orrery/kinds'
import type { Informers } from '@orrery/kube'
import { isApproved, isPending } from '@orrery/kube/csr'
import type { SharedInformer } from '@orrery/kube/informer'
import { type AgentName, readAgentRequest } from './agent-request.js'

/** The agent of a ManagedCluster, for the lifetime of the ManagedCluster. It is recorded in the agent's bindings. */
export interface Registration {
  readonly subjects: Subject[]
  /** The annotations of the bindings. */
  readonly annotations: Record<string, string>
}

/** An agent whose first certificate was approved. */
export interface ApprovedAgent extends AgentName {
  readonly approvedOn: string
}

const APPROVED_OF = 'approved-of-cluster'
const PENDING_OF = 'pending-of-cluster-by-user'

/** Stands for all users that are agents of the cluster. */
export const ITS_AGENTS = ''

const clusterIn = ({ metadata }: CertificateSigningRequest) => metadata.labels?.[CLUSTER_NAME_LABEL] ?? ''
const pendingKey = (cluster: string, username: string) => `${cluster} ${username}`
const approvedKeys = (request: CertificateSigningRequest) => (isApproved(request) ? [clusterIn(request)] : [])
const pendingKeys = (request: CertificateSigningRequest) => {
  const { username = '' } = request.spec
  const cluster = clusterIn(request)
  const isRenewal = username.startsWith(`${AGENT_SUBJECT_PREFIX}${cluster}:`)
  return isPending(request) ? [pendingKey(cluster, isRenewal ? ITS_AGENTS : username)] : []
}

/** The informer of the agents' certificate requests, without those of add-ons. */
export function agentRequests(informers: Informers): SharedInformer<CertificateSigningRequest> {
  const requests = informers.of(CertificateSigningRequest, {
    labelSelector: `${CLUSTER_NAME_LABEL},!${ADDON_NAME_LABEL}`,
  })
  requests.addIndex(APPROVED_OF, approvedKeys)
  requests.addIndex(PENDING_OF, pendingKeys)
  return requests
}

/** The approved requests that are labelled with the name of a cluster. */
export function approvedRequests(
  requests: SharedInformer<CertificateSigningRequest>,
  cluster: string,
): readonly CertificateSigningRequest[] {
  return requests.byIndex(APPROVED_OF, cluster)
}

/** The pending requests of a user, or of the agents of a cluster, that are labelled with the name of the cluster. */
export function pendingRequests(
  requests: SharedInformer<CertificateSigningRequest>,
  cluster: string,
  username: string,
): readonly CertificateSigningRequest[] {
  return requests.byIndex(PENDING_OF, pendingKey(cluster, username))
}

/**
 * The agent whose first certificate was approved last in the lifetime of a ManagedCluster. Certificates that were approved
 * earlier belong to another registration; renewed ones belong to an agent that is already registered.
 */
export async function latestApproved(
  cluster: ManagedCluster,
  requests: readonly CertificateSigningRequest[],
): Promise<ApprovedAgent | undefined> {
  const since = cluster.metadata.creationTimestamp ?? ''
  let latest: { readonly agent: ApprovedAgent; readonly order: string } | undefined
  // There can be any number of renewals, so each request is read at most once.
  for (const request of requests) {
    const approvedOn = approvalTime(request) ?? ''
    if (approvedOn === '' || approvedOn < since) continue
    const order = [approvedOn, request.metadata.creationTimestamp, request.metadata.name].join(' ')
    if (latest !== undefined && order <= latest.order) continue
    const reading = await readAgentRequest(request)
    const isFirst = 'agent' in reading && reading.agent.user !== request.spec.username
    if (isFirst) latest = { agent: { ...reading.agent, approvedOn }, order }
  }
  return latest?.agent
}

function approvalTime(request: CertificateSigningRequest): string | undefined {
  if (!isApproved(request)) return undefined
  const approval = request.status?.conditions?.find(({ type }) => type === 'Approved')
  return approval?.lastUpdateTime ?? approval?.lastTransitionTime
}

/**
 * The registration of a cluster, as its bindings record it, unless the certificate of another agent was approved since.
 * Bindings without such a record, of earlier versions, grant access to the group of the cluster. They stay until the next
 * first certificate is approved, since it is not known which agent of the group is the right one.
 */
export function registrationOf(
  { metadata: { name, uid, creationTimestamp = '' } }: ManagedCluster,
  clusterBinding: ClusterRoleBinding | undefined,
  bindings: readonly RoleBinding[],
  approved: ApprovedAgent | undefined,
): Registration {
  const isRecord = (binding: ClusterRoleBinding | RoleBinding) => annotation(binding, REGISTRATION_ANNOTATION) === uid
  const isUnmarked = (binding: ClusterRoleBinding) =>
    annotation(binding, REGISTRATION_ANNOTATION) === undefined &&
    (binding.metadata.creationTimestamp ?? '') >= creationTimestamp
  const record =
    clusterBinding !== undefined && (isRecord(clusterBinding) || isUnmarked(clusterBinding))
      ? clusterBinding
      : bindings.find(isRecord)
  const approvedOn = record && annotation(record, APPROVED_ON_ANNOTATION)
  if (approved !== undefined && (approvedOn === undefined || approved.approvedOn > approvedOn)) {
    return {
      subjects: [{ kind: 'User', apiGroup: ClusterRole.group, name: approved.user }, externalGroup(name)],
      annotations: { [REGISTRATION_ANNOTATION]: uid, [APPROVED_ON_ANNOTATION]: approved.approvedOn },
    }
  }
  return {
    subjects: record === undefined ? [externalGroup(name)] : [...(record.subjects ?? [])],
    annotations: {
      [REGISTRATION_ANNOTATION]: uid,
      ...(approvedOn !== undefined && { [APPROVED_ON_ANNOTATION]: approvedOn }),
    },
  }
}

/** Whether a registration, or the binding that records it, has an agent with a certificate. */
export function hasAgent({ subjects = [] }: { readonly subjects?: readonly Subject[] }): boolean {
  return subjects.some(({ name }) => name.startsWith(AGENT_SUBJECT_PREFIX))
}

/** The agents in a registration. */
export function agentsIn({ subjects }: Registration): string[] {
  const users = subjects.filter(({ kind, name }) => kind === 'User' && name.startsWith(AGENT_SUBJECT_PREFIX))
  return users.map(({ name }) => name.slice(name.lastIndexOf(':') + 1))
}

/** The group of agents that the API server authenticates by other means than certificates, such as AWS IAM roles. */
function externalGroup(cluster: string): Subject {
  return { kind: 'Group', apiGroup: ClusterRole.group, name: `open-cluster-management:${cluster}` }
}

function annotation({ metadata }: ClusterRoleBinding | RoleBinding, key: string): string | undefined {
  const { annotations = {} } = metadata
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined
}
