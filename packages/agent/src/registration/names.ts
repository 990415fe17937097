import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { AGENT_SUBJECT_PREFIX, MANAGED_CLUSTERS_GROUP, MANAGED_NAMESPACE_LABEL_PREFIX } from '@orrery/api'
import { NAME_SUFFIX_LENGTH, safeEncode } from '@orrery/kinds/values'

/** The names of an agent on the hub. */
export interface AgentNames {
  readonly clusterName: string
  readonly agentName: string
}

/** The user and the groups of an agent on the hub. */
export function agentSubject({ clusterName, agentName }: AgentNames) {
  return {
    commonName: `${AGENT_SUBJECT_PREFIX}${clusterName}:${agentName}`,
    organizations: [`${AGENT_SUBJECT_PREFIX}${clusterName}`, MANAGED_CLUSTERS_GROUP],
  }
}

/** The reverse of `agentSubject`; undefined for any other subject. */
export function namesInSubject(commonName: string): AgentNames | undefined {
  if (!commonName.startsWith(AGENT_SUBJECT_PREFIX)) return undefined
  const [clusterName, agentName, ...more] = commonName.slice(AGENT_SUBJECT_PREFIX.length).split(':')
  if (!clusterName || !agentName || more.length > 0) return undefined
  return { clusterName, agentName }
}

export function isSameAgent(a: AgentNames, b: AgentNames): boolean {
  return a.clusterName === b.clusterName && a.agentName === b.agentName
}

export function randomClusterName(): string {
  return randomUUID()
}

export function randomAgentName(): string {
  return safeEncode(randomBytes(NAME_SUFFIX_LENGTH))
}

const MAX_LABEL_NAME = 63

/** The label, on a cluster, of the namespaces that a hub manages there. */
export function managedNamespaceLabel(hubServer: string): string {
  const hash = createHash('sha256').update(hubServer).digest('hex')
  return MANAGED_NAMESPACE_LABEL_PREFIX + hash.slice(0, MAX_LABEL_NAME)
}
