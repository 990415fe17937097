import { HubKubeconfigKey } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { type ClientConfig, parseKubeconfig } from '@orrery/kube'
import { type Certificate, parseCertificateBundle } from '@orrery/kube/pki'
import { type HubAddress, hubAddressOf, hubConfig, hubKubeconfig, isSameHub } from './hub-address.js'
import { type AgentNames, isSameAgent, namesInSubject } from './names.js'
import { secretText } from './secretdata.js'

/** Who the agent is on a hub, and for how long. */
export interface HubIdentity {
  readonly hub: HubAddress
  readonly names: AgentNames
  readonly certificatePem: string
  readonly keyPem: string
  readonly notBefore: Date
  readonly notAfter: Date
  /** When to ask for the next certificate. */
  readonly renewAt: Date
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

/** What goes into the Secret: all that any agent, ours or Open Cluster Management's, needs to go on from there. */
export async function identityData(
  hub: HubAddress,
  names: AgentNames,
  certificatePem: string,
  keyPem: string,
): Promise<Record<HubKubeconfigKey, string>> {
  const { Certificate, PrivateKey, Kubeconfig, ClusterName, AgentName } = HubKubeconfigKey
  return {
    [Certificate]: certificatePem,
    [PrivateKey]: keyPem,
    [Kubeconfig]: await hubKubeconfig(hub, Certificate, PrivateKey),
    [ClusterName]: names.clusterName,
    [AgentName]: names.agentName,
  }
}

/** Certificates are renewed when this part of their time is left, */
const RENEWAL_SHARE = 0.2
/** or up to so much more of it, so that agents that joined together do not come back together. */
const RENEWAL_SPREAD = 0.25

/** The time in which all certificates of a chain are valid, and when to renew them. */
export function validityOf(chain: readonly Certificate[]): Pick<HubIdentity, 'notBefore' | 'notAfter' | 'renewAt'> {
  const notBefore = new Date(Math.max(...chain.map((certificate) => certificate.notBefore.getTime())))
  const notAfter = new Date(Math.min(...chain.map((certificate) => certificate.notAfter.getTime())))
  const share = RENEWAL_SHARE * (1 + RENEWAL_SPREAD * fractionOf(chain[0]?.fingerprint ?? ''))
  const renewAt = new Date(notAfter.getTime() - share * (notAfter.getTime() - notBefore.getTime()))
  return { notBefore, notAfter, renewAt }
}

/** Drawn from the certificate itself: the same at every look, and another for every certificate. */
function fractionOf(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice(0, 8) || '0', 16) / 2 ** 32
}

function namesIn(chain: readonly Certificate[]): AgentNames | undefined {
  return chain.map(({ subject }) => namesInSubject(subject.commonName)).find((names) => names !== undefined)
}
