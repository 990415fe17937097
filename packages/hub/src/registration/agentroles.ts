import { ADDON_GROUP, CLUSTER_GROUP, DRY_RUN_GROUP, REGISTER_GROUP, WORK_GROUP } from '@orrery/api'
import type { PolicyRule } from '@orrery/kinds'

const ROLE_PREFIX = 'open-cluster-management:managedcluster:'

/** The role that all agents have in the namespaces of their clusters, for registration. */
export const REGISTRATION_ROLE = `${ROLE_PREFIX}registration`

/** The role that all agents have in the namespaces of their clusters, for works. */
export const WORK_ROLE = `${ROLE_PREFIX}work`

/** The name of the ClusterRole of a cluster's agent, and of its binding. */
export function agentRoleName(cluster: string): string {
  return `${ROLE_PREFIX}${cluster}`
}

/** The name of the RoleBinding, in the namespace of a cluster, to REGISTRATION_ROLE. */
export function registrationBindingName(cluster: string): string {
  return `${agentRoleName(cluster)}:registration`
}

/** The name of the RoleBinding, in the namespace of a cluster, to WORK_ROLE. */
export function workBindingName(cluster: string): string {
  return `${agentRoleName(cluster)}:work`
}

/** Whether the hub accepts a cluster; `undecided` until it first does. */
export type Acceptance = 'undecided' | 'accepted' | 'denied'

/** The permissions of a cluster's agent outside of its namespace. The agent of a denied cluster may only read its ManagedCluster. */
export function agentRules(cluster: string, acceptance: Acceptance): PolicyRule[] {
  if (acceptance === 'undecided') return []
  const itself = { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], resourceNames: [cluster] }
  if (acceptance === 'denied') return [{ ...itself, verbs: ['get', 'list', 'watch'] }]
  return [
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests'],
      verbs: ['create', 'get', 'list', 'watch'],
    },
    { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
    { ...itself, verbs: ['get', 'list', 'update', 'watch'] },
    { ...itself, resources: ['managedclusters/status'], verbs: ['patch', 'update'] },
  ]
}

/** The rules of REGISTRATION_ROLE. */
export const REGISTRATION_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch', 'update'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
  {
    apiGroups: [CLUSTER_GROUP],
    resources: ['managedclusterscores'],
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
  },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusterscores/status'], verbs: ['patch', 'update'] },
]

/** The rules of WORK_ROLE. */
export const WORK_RULES: readonly PolicyRule[] = [
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
  { apiGroups: [DRY_RUN_GROUP], resources: ['manifestworkdryruns'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [DRY_RUN_GROUP], resources: ['manifestworkdryruns/status'], verbs: ['patch', 'update'] },
]
