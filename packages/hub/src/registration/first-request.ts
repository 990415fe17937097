import {
  CREATED_BY_ANNOTATION,
  type ManagedCluster,
  ManagedClusterCondition,
  REGISTERED_AGENTS_ANNOTATION,
  RegistrationEvent,
} from '@orrery/api'
import type { CertificateSigningRequest, Namespace } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { agentsIn, hasAgent, type Registration } from './agent-registration.js'
import { type AgentName, readAgentRequest } from './agent-request.js'

/** The state of the cluster that a first certificate request is for. */
export interface FirstRequestState {
  readonly cluster: ManagedCluster
  /** The pending requests of the same user for agents of that cluster. */
  readonly pending: readonly CertificateSigningRequest[]
  /** Finds the current agent of that cluster. */
  readonly registration: () => Promise<Registration>
  readonly namespace: Namespace | undefined
  readonly approveTakenNames: boolean
}

/** Why an administrator has to decide about a request, for an event. */
export interface FirstRequestProblem {
  readonly reason: RegistrationEvent
  readonly note: string
}

/** How much older than its ManagedCluster a request may be: agents of Open Cluster Management create both at once. */
const LEAD_MILLISECONDS = 10_000

/**
 * Why the hub does not approve the first certificate of an agent automatically; undefined if it does. The request must be
 * for the current ManagedCluster, by the user who created it, and the only one.
 */
export async function firstRequestProblem(
  request: CertificateSigningRequest,
  agent: AgentName,
  state: FirstRequestState,
): Promise<FirstRequestProblem | undefined> {
  const { cluster, namespace } = state
  const { name } = cluster.metadata
  const asks = `${request.spec.username} requests a certificate for ${agent.user}`
  const decide = `run \`kubectl certificate approve ${request.metadata.name}\` if this is expected`
  const problem = (why: string) => ({
    reason: RegistrationEvent.RequestNotApproved,
    note: `${asks}, but ${why}: ${decide}`,
  })
  const creator = cluster.metadata.annotations?.[CREATED_BY_ANNOTATION]
  if (creator === undefined) return problem(`the creator of cluster ${name} is not recorded`)
  if (creator !== request.spec.username) return problem(`cluster ${name} was created by ${creator}`)
  if (isFromBefore(request, cluster)) return problem(`the request is older than cluster ${name}`)
  if (await hasRivals(request, state)) return problem(`there are other pending requests for cluster ${name}`)
  const registration = await state.registration()
  if (!state.approveTakenNames && isTaken(cluster, registration)) {
    const note = `${asks}, but cluster ${name} has another agent that is available: ${decide}`
    return { reason: RegistrationEvent.NameTaken, note }
  }
  if (registeredAgents(namespace).includes(agent.agent) && !agentsIn(registration).includes(agent.agent)) {
    return problem(
      `an earlier agent of cluster ${name} had the same name, and its certificates would grant access again`,
    )
  }
  return undefined
}

/** The agents that have been registered under the name of a cluster. */
export function registeredAgents(namespace: Namespace | undefined): string[] {
  return (namespace?.metadata.annotations?.[REGISTERED_AGENTS_ANNOTATION] ?? '').split(',').filter(Boolean)
}

function isFromBefore({ metadata }: CertificateSigningRequest, cluster: ManagedCluster): boolean {
  const created = Date.parse(cluster.metadata.creationTimestamp ?? '')
  return Date.parse(metadata.creationTimestamp ?? '') < created - LEAD_MILLISECONDS
}

/** Whether there are other pending requests of the same user for the cluster: the hub cannot tell which is the right one. */
async function hasRivals({ metadata }: CertificateSigningRequest, state: FirstRequestState): Promise<boolean> {
  for (const other of state.pending) {
    if (other.metadata.uid === metadata.uid || isFromBefore(other, state.cluster)) continue
    if ('agent' in (await readAgentRequest(other))) return true
  }
  return false
}

/**
 * Whether the cluster has an agent that must not be replaced. An agent that reports that its API server is not available is
 * running, and one that was just registered is about to start: if it does not, its lease expires.
 */
function isTaken({ status }: ManagedCluster, registration: Registration): boolean {
  const available = findCondition(status?.conditions, ManagedClusterCondition.Available)?.status
  if (available === 'Unknown') return false
  if (hasAgent(registration)) return true
  return available !== undefined && isConditionTrue(status?.conditions, ManagedClusterCondition.Joined)
}
