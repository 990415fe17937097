import { HubKubeconfigKey } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { secretText, type Validity, validityOf } from '@orrery/kube/credentials'
import { type ClientConfig, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { type Certificate, parseCertificateBundle } from '@orrery/kube/pki'
import { type HubAddress, hubAddressOf, hubConfig, hubKubeconfig, isSameHub } from '../hub-address.js'
import { type AgentNames, isSameAgent, namesInSubject } from './names.js'

/** The identity of the agent on a hub, and its validity. */
export interface HubIdentity extends Validity {
  readonly hub: HubAddress
  readonly names: AgentNames
  readonly certificatePem: string
  readonly keyPem: string
}

/** The identity in a Secret; undefined if there is none that can be used. */
export async function identityIn(secret: Secret | undefined): Promise<HubIdentity | undefined> {
  const kubeconfig = secretText(secret, HubKubeconfigKey.Kubeconfig)
  const certificatePem = secretText(secret, HubKubeconfigKey.Certificate)
  const keyPem = secretText(secret, HubKubeconfigKey.PrivateKey)
  if (kubeconfig === undefined || certificatePem === undefined || keyPem === undefined) return undefined
  try {
    const hub = hubAddressOf(await parseKubeconfig(kubeconfig))
    const chain = parseCertificateBundle(certificatePem)
    const names = namesIn(chain)
    return names && { hub, names, certificatePem, keyPem, ...validityOf(chain) }
  } catch {
    // Whatever the problem, a new certificate is requested.
    return undefined
  }
}

/** Whether the identity belongs to this agent on this hub. */
export function isFor(identity: HubIdentity | undefined, hub: HubAddress, names: AgentNames): identity is HubIdentity {
  return identity !== undefined && isSameHub(identity.hub, hub) && isSameAgent(identity.names, names)
}

/** How far the local clock may be behind the hub's before a certificate counts as not yet valid. */
const PREMATURE = 24 * 3_600_000

/**
 * Whether the hub accepts the identity. A certificate can be expired, or not yet valid if it was issued while the
 * clocks were far ahead. `hubNow` is the time of the hub if it is known.
 */
export function isValid(identity: HubIdentity, now: Date, hubNow = now): boolean {
  return now <= identity.notAfter && hubNow.getTime() >= identity.notBefore.getTime() - PREMATURE
}

/** The client configuration for the hub with this identity. */
export function configOf({ hub, certificatePem, keyPem }: HubIdentity): ClientConfig {
  return hubConfig(hub, { clientCertificate: { text: certificatePem }, clientKey: { text: keyPem } })
}

/**
 * The data of the Secret besides certificate and key: everything that this agent or Open Cluster Management's needs.
 */
export async function kubeconfigData(hub: HubAddress, names: AgentNames): Promise<Record<string, string>> {
  const { Certificate, PrivateKey, Kubeconfig, ClusterName, AgentName } = HubKubeconfigKey
  return {
    [Kubeconfig]: await hubKubeconfig(hub, {
      clientCertificate: { file: Certificate },
      clientKey: { file: PrivateKey },
    }),
    [ClusterName]: names.clusterName,
    [AgentName]: names.agentName,
  }
}

function namesIn(chain: readonly Certificate[]): AgentNames | undefined {
  return chain.map(({ subject }) => namesInSubject(subject.commonName)).find((names) => names !== undefined)
}
