import { HubKubeconfigKey } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { type SecretRef, secretText, writeSecret } from '@orrery/kube/credentials'
import type { ResolvedAgentOptions } from '../options.js'
import { type AgentNames, randomAgentName, randomClusterName } from './names.js'

/**
 * Decides the names of the agent: from the options, else as stored, else random. A random name is stored at once, so
 * that an agent that restarts before it has joined does not register as another cluster.
 */
export async function resolveNames(
  { spoke, clusterName, agentName }: ResolvedAgentOptions,
  identityRef: SecretRef,
): Promise<AgentNames> {
  const { ClusterName, AgentName } = HubKubeconfigKey
  const secret = await spoke.find(Secret, identityRef)
  const names = {
    clusterName: clusterName ?? secretText(secret, ClusterName) ?? randomClusterName(),
    agentName: agentName ?? secretText(secret, AgentName) ?? randomAgentName(),
  }
  const isKept = secretText(secret, ClusterName) !== undefined && secretText(secret, AgentName) !== undefined
  if (!isKept) await writeSecret(spoke, identityRef, { [ClusterName]: names.clusterName, [AgentName]: names.agentName })
  return names
}

/**
 * Gives the agent a new random name, unless the options set it, and deletes its certificate. With a new name,
 * certificates of the old one cannot become valid again.
 */
export async function renamed(
  { spoke, agentName }: ResolvedAgentOptions,
  { clusterName }: AgentNames,
  identityRef: SecretRef,
  signal: AbortSignal,
): Promise<AgentNames> {
  const names = { clusterName, agentName: agentName ?? randomAgentName() }
  const { AgentName, Certificate, Kubeconfig, PrivateKey } = HubKubeconfigKey
  const values = { [AgentName]: names.agentName, [Certificate]: '', [PrivateKey]: '', [Kubeconfig]: '' }
  await writeSecret(spoke, identityRef, values, { signal })
  return names
}
