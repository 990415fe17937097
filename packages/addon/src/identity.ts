/** The user and groups of an add-on's agent on the hub. */
export interface AgentSubject {
  readonly user: string
  readonly groups: readonly [ofCluster: string, ofAddon: string]
}

/**
 * The default identity of an add-on's agent with a client certificate. The first group has the agents of one cluster, the second
 * those of all clusters. A name of the agent that changes with each start would request a new certificate each time.
 */
export function agentSubject(clusterName: string, addonName: string, agentName: string = addonName): AgentSubject {
  const ofCluster = `system:open-cluster-management:cluster:${clusterName}:addon:${addonName}`
  return {
    user: `${ofCluster}:agent:${agentName}`,
    groups: [ofCluster, `system:open-cluster-management:addon:${addonName}`],
  }
}

/** The user of an add-on's agent with a service account token. The hub creates the account in the namespace of the cluster. */
export function tokenUser(clusterName: string, addonName: string): string {
  return `system:serviceaccount:${clusterName}:${addonName}-agent`
}
