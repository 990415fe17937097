import { AGENT_SUBJECT_PREFIX, MANAGED_CLUSTERS_GROUP } from '@orrery/api'
import { isDNS1123Label } from '@orrery/kinds/values'
import { agentRoleName, REGISTRATION_ROLE, WORK_ROLE } from './agentroles.js'

/** Prefixes of namespaces in which no agent may have permissions. */
const SYSTEM_PREFIXES = ['kube-', 'open-cluster-management']

/**
 * Why a cluster of this name cannot be accepted; undefined if it can. The names of its roles, groups and namespace derive
 * from its name: with some names its agent would get permissions of all agents, or of the hub.
 */
export function clusterNameProblem(name: string): string | undefined {
  const [problem] = isDNS1123Label(name)
  if (problem !== undefined) return `it is not a valid namespace name: ${problem}`
  const role = agentRoleName(name)
  if (role === REGISTRATION_ROLE || role === WORK_ROLE) return 'it is the name of a role that all agents share'
  if (`${AGENT_SUBJECT_PREFIX}${name}` === MANAGED_CLUSTERS_GROUP) return 'it is the name of the group of all agents'
  const isSystem = SYSTEM_PREFIXES.some((prefix) => name.startsWith(prefix))
  return isSystem ? 'the namespace of that name belongs to the hub' : undefined
}
