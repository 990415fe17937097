import {
  ADDON_CREDENTIALS_LABEL,
  AGENT_NAMESPACE,
  AppliedManifestWork,
  BOOTSTRAP_SECRET,
  HUB_KUBECONFIG_REQUEST_SECRET,
  HUB_KUBECONFIG_SECRET,
  HubKubeconfigKey,
} from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'

/** The hub membership of a cluster, by the Secrets of its agent. */
export interface HubMembership {
  /** The name of the cluster on the hub, or the one it requests to join with; undefined if it never requested. */
  readonly clusterName: string | undefined
  /** Whether the agent has a bootstrap kubeconfig. */
  readonly hasBootstrapKubeconfig: boolean
  /** How many works have applied objects here. */
  readonly works: number
}

/** Reads the hub membership of a cluster. */
export async function readHubMembership(cluster: KubeClient, call: CallOptions = {}): Promise<HubMembership> {
  const [identity, bootstrap, works] = await Promise.all([
    cluster.find(Secret, inAgentNamespace(HUB_KUBECONFIG_SECRET), call),
    cluster.find(Secret, inAgentNamespace(BOOTSTRAP_SECRET), call),
    appliedWorks(cluster, call),
  ])
  const name = identity?.data?.[HubKubeconfigKey.ClusterName]
  return {
    clusterName: name === undefined ? undefined : Buffer.from(name, 'base64').toString('utf8'),
    hasBootstrapKubeconfig: bootstrap !== undefined,
    works,
  }
}

/** Deletes the bootstrap kubeconfig of an agent. An agent that has joined continues until its certificate expires. */
export function deleteBootstrapKubeconfig(cluster: KubeClient, call: CallOptions = {}): Promise<void> {
  return cluster.ensureDeleted(Secret, inAgentNamespace(BOOTSTRAP_SECRET), call)
}

/** Deletes the bootstrap kubeconfig and the hub credentials of an agent and of its add-ons. Applied objects stay. */
export async function deleteHubCredentials(cluster: KubeClient, call: CallOptions = {}): Promise<void> {
  const { clusterName } = await readHubMembership(cluster, call)
  if (clusterName !== undefined) await deleteAddonCredentials(cluster, clusterName, call)
  const secrets = [BOOTSTRAP_SECRET, HUB_KUBECONFIG_SECRET, HUB_KUBECONFIG_REQUEST_SECRET]
  await Promise.all(secrets.map((name) => cluster.ensureDeleted(Secret, inAgentNamespace(name), call)))
}

async function deleteAddonCredentials(cluster: KubeClient, clusterName: string, call: CallOptions): Promise<void> {
  const { items } = await cluster.list(Secret, { labelSelector: `${ADDON_CREDENTIALS_LABEL}=${clusterName}`, ...call })
  await Promise.all(items.map(({ metadata }) => cluster.ensureDeleted(Secret, metadata, call)))
}

async function appliedWorks(cluster: KubeClient, call: CallOptions): Promise<number> {
  try {
    return (await cluster.list(AppliedManifestWork, call)).items.length
  } catch (error) {
    // A cluster without the CRD has none.
    if (isNotFound(error)) return 0
    throw error
  }
}

function inAgentNamespace(name: string) {
  return { namespace: AGENT_NAMESPACE, name }
}
