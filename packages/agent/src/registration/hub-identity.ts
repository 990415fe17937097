import { HubKubeconfigKey } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { secretText, type Validity, validityOf } from '@orrery/kube/credentials'
import { type ClientConfig, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { type Certificate, parseCertificateBundle } from '@orrery/kube/pki'
import { type HubAddress, hubAddressOf, hubConfig, hubKubeconfig, isSameHub } from './hub-address.js'
import { type AgentNames, isSameAgent, namesInSubject } from './names.js'

/** Who the agent is on a hub, and for how long. */
export interface HubIdentity extends Validity {
  readonly hub: HubAddress
  readonly names: AgentNames
  readonly certificatePem: string
  readonly keyPem: string
}

/** The identity in a Secret; undefined when there is none, or nothing that could be used as one. */
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
    // Whatever is wrong with it, a new one is asked for.
    return undefined
  }
}

/** Whether the identity is the agent's, on that hub. */
export function isFor(identity: HubIdentity | undefined, hub: HubAddress, names: AgentNames): identity is HubIdentity {
  return identity !== undefined && isSameHub(identity.hub, hub) && isSameAgent(identity.names, names)
}

/** How far the clock here may be behind that of the hub before a certificate counts as one of the future. */
const PREMATURE = 24 * 3_600_000

/**
 * Whether the hub would know the agent by it: not after its time, and not before it either, as with a certificate that was
 * issued while the clocks were far ahead. `hubNow` is the time of the hub, where it is known.
 */
export function isValid(identity: HubIdentity, now: Date, hubNow = now): boolean {
  return now <= identity.notAfter && hubNow.getTime() >= identity.notBefore.getTime() - PREMATURE
}

/** How to reach the hub with it. */
export function configOf({ hub, certificatePem, keyPem }: HubIdentity): ClientConfig {
  return hubConfig(hub, { text: certificatePem }, { text: keyPem })
}

/** What the Secret holds besides certificate and key: all that any agent, ours or Open Cluster Management's, needs. */
export async function kubeconfigData(hub: HubAddress, names: AgentNames): Promise<Record<string, string>> {
  const { Certificate, PrivateKey, Kubeconfig, ClusterName, AgentName } = HubKubeconfigKey
  return {
    [Kubeconfig]: await hubKubeconfig(hub, Certificate, PrivateKey),
    [ClusterName]: names.clusterName,
    [AgentName]: names.agentName,
  }
}

function namesIn(chain: readonly Certificate[]): AgentNames | undefined {
  return chain.map(({ subject }) => namesInSubject(subject.commonName)).find((names) => names !== undefined)
}
