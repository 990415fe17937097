import {
  AGENT_LEADER_LEASE,
  AGENT_NAMESPACE,
  BOOTSTRAP_SECRET,
  HUB_KUBECONFIG_SECRET,
  HubKubeconfigKey,
} from '@orrery/api'
import { Lease, Secret } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { clientConfigOf, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { parseCertificatePem } from '@orrery/kube/pki'
import { type HubMembership, readHubMembership } from './hub-membership.js'

/** The agent of a cluster, read from its objects on the cluster. */
export interface AgentInfo extends HubMembership {
  /** The name of the agent, which distinguishes agents of one cluster. */
  readonly agentName: string | undefined
  /** The URL of the hub that the cluster has joined or will join. */
  readonly hub: string | undefined
  /** When the agent's client certificate for the hub expires. */
  readonly certificateExpires: Date | undefined
  /** The leader, if the agent uses leader election. */
  readonly leader?: { readonly holder: string; readonly renewed?: string }
}

/** Reads about the agent of a cluster. Works for Open Cluster Management's agent too, which uses the same Secrets. */
export async function agentInfo(cluster: KubeClient, call: CallOptions = {}): Promise<AgentInfo> {
  const named = (name: string) => ({ namespace: AGENT_NAMESPACE, name })
  const [membership, identity, bootstrap, lease] = await Promise.all([
    readHubMembership(cluster, call),
    cluster.find(Secret, named(HUB_KUBECONFIG_SECRET), call),
    cluster.find(Secret, named(BOOTSTRAP_SECRET), call),
    cluster.find(Lease, named(AGENT_LEADER_LEASE), call),
  ])
  const kubeconfig = textOf(identity, HubKubeconfigKey.Kubeconfig) ?? textOf(bootstrap, HubKubeconfigKey.Kubeconfig)
  const certificate = textOf(identity, HubKubeconfigKey.Certificate)
  const { holderIdentity: holder = '', renewTime: renewed } = lease?.spec ?? {}
  return {
    ...membership,
    agentName: textOf(identity, HubKubeconfigKey.AgentName),
    hub: kubeconfig === undefined ? undefined : await serverOf(kubeconfig),
    certificateExpires: certificate === undefined ? undefined : expiryOf(certificate),
    ...(holder !== '' && { leader: { holder, ...(renewed !== undefined && { renewed }) } }),
  }
}

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}

async function serverOf(kubeconfig: string): Promise<string | undefined> {
  try {
    return clientConfigOf(await parseKubeconfig(kubeconfig)).server
  } catch {
    // The Secret can have any content; the agent reports the problem.
    return undefined
  }
}

function expiryOf(pem: string): Date | undefined {
  try {
    return parseCertificatePem(pem).notAfter
  } catch {
    // The same applies to the certificate.
    return undefined
  }
}
