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

/** What is known about the cluster that a first certificate is asked for. */
export interface FirstRequestState {
  readonly cluster: ManagedCluster
  /** The requests of the same user for agents of that cluster that wait for a decision. */
  readonly pending: readonly CertificateSigningRequest[]
  /** Finds out who the agent of that cluster is now. */
  readonly registration: () => Promise<Registration>
  readonly namespace: Namespace | undefined
  readonly approveTakenNames: boolean
}

/** Why a person has to decide about a request, for an event. */
export interface FirstRequestProblem {
  readonly reason: RegistrationEvent
  readonly note: string
}

/** How much earlier than its ManagedCluster a request may be sent: agents of Open Cluster Management create both at once. */
const LEAD_MILLISECONDS = 10_000

/**
 * Why the hub does not approve the first certificate of an agent by itself; undefined when it does. The certificate has to
 * be for the registration that is there now, by the user that has created it, and for one agent only.
 */
export async function firstRequestProblem(
  request: CertificateSigningRequest,
  agent: AgentName,
  state: FirstRequestState,
): Promise<FirstRequestProblem | undefined> {
  const { cluster, namespace } = state
  const { name } = cluster.metadata
  const asks = `${request.spec.username} asks to be ${agent.user}`
  const decide = `approve ${request.metadata.name} if that is right`
  const problem = (why: string) => ({
    reason: RegistrationEvent.RequestNotApproved,
    note: `${asks}, but ${why}: ${decide}`,
  })
  const creator = cluster.metadata.annotations?.[CREATED_BY_ANNOTATION]
  if (creator === undefined) return problem(`nothing records who created cluster ${name}`)
  if (creator !== request.spec.username) return problem(`cluster ${name} was created by ${creator}`)
  if (isFromBefore(request, cluster)) return problem(`asked before cluster ${name} was created`)
  if (await hasRivals(request, state)) return problem(`others ask for a certificate of cluster ${name}, too`)
  const registration = await state.registration()
  if (!state.approveTakenNames && isTaken(cluster, registration)) {
    const note = `${asks}, but cluster ${name} is there and alive: ${decide}`
    return { reason: RegistrationEvent.NameTaken, note }
  }
  if (registeredAgents(namespace).includes(agent.agent) && !agentsIn(registration).includes(agent.agent)) {
    return problem(`an earlier agent of cluster ${name} had that name, and its certificates would be valid again`)
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

/** Whether somebody else with the same credentials waits for a certificate of the cluster: they cannot be told apart. */
async function hasRivals({ metadata }: CertificateSigningRequest, state: FirstRequestState): Promise<boolean> {
  for (const other of state.pending) {
    if (other.metadata.uid === metadata.uid || isFromBefore(other, state.cluster)) continue
    if ('agent' in (await readAgentRequest(other))) return true
  }
  return false
}

/**
 * Whether the cluster has an agent that must be kept from being replaced. One that reports that its API is not available is
 * there to report it, and one that has just been registered is about to come: its lease expires if it does not.
 */
function isTaken({ status }: ManagedCluster, registration: Registration): boolean {
  const available = findCondition(status?.conditions, ManagedClusterCondition.Available)?.status
  if (available === 'Unknown') return false
  if (hasAgent(registration)) return true
  return available !== undefined && isConditionTrue(status?.conditions, ManagedClusterCondition.Joined)
}
