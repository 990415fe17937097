import {
  AGENT_LEADER_LEASE,
  AGENT_NAMESPACE,
  BOOTSTRAP_SECRET,
  HUB_KUBECONFIG_SECRET,
  HubKubeconfigKey,
} from '@orrery/api'
import { Lease, Secret } from '@orrery/kinds'
import { type CallOptions, clientConfigOf, type KubeClient, parseKubeconfig } from '@orrery/kube'
import { parseCertificatePem } from '@orrery/kube/pki'
import { type HubMembership, membershipOn } from './leaving.js'

/** What the agent of a cluster is, and how it is, as it is found on the cluster. */
export interface AgentInfo extends HubMembership {
  /** Tells agents of one cluster apart. */
  readonly agentName: string | undefined
  /** Where the hub is that the cluster has joined, or is to join. */
  readonly hub: string | undefined
  /** Until when the certificate is good that the hub knows the agent by. */
  readonly certificateExpires: Date | undefined
  /** Which process works, where that is decided by election. */
  readonly leader?: { readonly holder: string; readonly renewed?: string }
}

/** Looks at the agent of a cluster. Open Cluster Management's own keeps its identity in the same place. */
export async function agentInfo(cluster: KubeClient, call: CallOptions = {}): Promise<AgentInfo> {
  const named = (name: string) => ({ namespace: AGENT_NAMESPACE, name })
  const [membership, identity, invitation, lease] = await Promise.all([
    membershipOn(cluster, call),
    cluster.find(Secret, named(HUB_KUBECONFIG_SECRET), call),
    cluster.find(Secret, named(BOOTSTRAP_SECRET), call),
    cluster.find(Lease, named(AGENT_LEADER_LEASE), call),
  ])
  const kubeconfig = textOf(identity, HubKubeconfigKey.Kubeconfig) ?? textOf(invitation, HubKubeconfigKey.Kubeconfig)
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
    // Whoever wrote it may have written anything; its agent says what is wrong with it.
    return undefined
  }
}

function expiryOf(pem: string): Date | undefined {
  try {
    return parseCertificatePem(pem).notAfter
  } catch {
    // The same goes for a certificate.
    return undefined
  }
}
