import { HubKubeconfigKey } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { type SecretRef, secretText, writeSecret } from '@orrery/kube/credentials'
import type { ResolvedAgentOptions } from '../options.js'
import { type AgentNames, randomAgentName, randomClusterName } from './names.js'

/**
 * What the agent is called: as it is told, else as before, else by chance. A name by chance is kept at once, so that an
 * agent that starts again before it has joined does not come to the hub as yet another cluster.
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
 * Gives the agent another name, unless it was told its name, and forgets its certificate. A new name keeps certificates of
 * the old one from being good again.
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
  await writeSecret(spoke, identityRef, values, signal)
  return names
}
