import {
  AGENT_NAMESPACE,
  AppliedManifestWork,
  BOOTSTRAP_SECRET,
  HUB_KUBECONFIG_REQUEST_SECRET,
  HUB_KUBECONFIG_SECRET,
  HubKubeconfigKey,
} from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import type { CallOptions, KubeClient } from '@orrery/kube'

/** What an agent keeps of its hub, as it is found on the cluster. */
export interface HubMembership {
  /** The name that the cluster has on the hub, or asks to join under; undefined when it never has. */
  readonly clusterName: string | undefined
  /** Whether its agent has bootstrap credentials. */
  readonly isInvited: boolean
  /** How many works have objects here. */
  readonly works: number
}

/** Looks at what a cluster has of its hub. */
export async function membershipOn(cluster: KubeClient, call: CallOptions = {}): Promise<HubMembership> {
  const [identity, invitation, works] = await Promise.all([
    cluster.find(Secret, inAgentNamespace(HUB_KUBECONFIG_SECRET), call),
    cluster.find(Secret, inAgentNamespace(BOOTSTRAP_SECRET), call),
    appliedWorks(cluster, call),
  ])
  const name = identity?.data?.[HubKubeconfigKey.ClusterName]
  return {
    clusterName: name === undefined ? undefined : Buffer.from(name, 'base64').toString('utf8'),
    isInvited: invitation !== undefined,
    works,
  }
}

/** Takes its bootstrap credentials from an agent. One that has joined goes on until its certificate expires. */
export function withdrawInvitation(cluster: KubeClient, call: CallOptions = {}): Promise<void> {
  return cluster.ensureDeleted(Secret, inAgentNamespace(BOOTSTRAP_SECRET), call)
}

/** Makes a cluster forget who it was on its hub. What was applied stays. */
export async function forgetHub(cluster: KubeClient, call: CallOptions = {}): Promise<void> {
  const secrets = [BOOTSTRAP_SECRET, HUB_KUBECONFIG_SECRET, HUB_KUBECONFIG_REQUEST_SECRET]
  await Promise.all(secrets.map((name) => cluster.ensureDeleted(Secret, inAgentNamespace(name), call)))
}

async function appliedWorks(cluster: KubeClient, call: CallOptions): Promise<number> {
  try {
    return (await cluster.list(AppliedManifestWork, call)).items.length
  } catch (error) {
    // A cluster that does not know the kind has none.
    if (isNotFound(error)) return 0
    throw error
  }
}

function inAgentNamespace(name: string) {
  return { namespace: AGENT_NAMESPACE, name }
}
