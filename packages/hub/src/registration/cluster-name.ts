import { AGENT_SUBJECT_PREFIX, MANAGED_CLUSTERS_GROUP } from '@orrery/api'
import { isDNS1123Label } from '@orrery/kinds/values'
import { agentRoleName, REGISTRATION_ROLE, WORK_ROLE } from './agentroles.js'

/** Namespaces in which no agent may have rights, by how their names begin. */
const SYSTEM_PREFIXES = ['kube-', 'open-cluster-management']

/**
 * Why a cluster of this name cannot be let in; undefined when it can. Names of roles, groups and namespaces are made of
 * the name of a cluster: under some names its agent would have rights that are meant for all clusters, or for the hub.
 */
export function clusterNameProblem(name: string): string | undefined {
  const [problem] = isDNS1123Label(name)
  if (problem !== undefined) return `the name cannot be that of a namespace: ${problem}`
  const role = agentRoleName(name)
  if (role === REGISTRATION_ROLE || role === WORK_ROLE) return 'the name is that of a role that all agents share'
  if (`${AGENT_SUBJECT_PREFIX}${name}` === MANAGED_CLUSTERS_GROUP) return 'the name is that of the group of all agents'
  const isSystem = SYSTEM_PREFIXES.some((prefix) => name.startsWith(prefix))
  return isSystem ? 'the namespace of that name belongs to the hub' : undefined
}
