import { createPrivateKey } from 'node:crypto'
import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, HubKubeconfigKey, KUBE_CLIENT_SIGNER } from '@orrery/api'
import { CertificateSigningRequest, Secret } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import {
  createCsr,
  DistinguishedName,
  generateKey,
  isKeyOf,
  parseCertificatePem,
  parseCsr,
  privateKeyPem,
} from '@orrery/kube/pki'
import { type AgentNames, agentSubject } from './names.js'
import { type SecretRef, secretText, writeSecret } from './secretdata.js'

/** The key that a certificate is asked for, and the request itself: kept until there is a certificate. */
export interface CertificateOrder {
  readonly keyPem: string
  readonly requestPem: string
}

const REQUEST_KEY = 'tls.csr'

/**
 * The order under way. It is in a Secret, so that an agent that starts again waits for the request it has made rather
 * than making another: hubs refuse to hear of more than a few.
 */
export async function findOrder(
  spoke: KubeClient,
  ref: SecretRef,
  names: AgentNames,
  signal: AbortSignal,
): Promise<CertificateOrder | undefined> {
  const secret = await spoke.find(Secret, ref, { signal })
  const keyPem = secretText(secret, HubKubeconfigKey.PrivateKey)
  const requestPem = secretText(secret, REQUEST_KEY)
  if (keyPem === undefined || requestPem === undefined || !isRequestOf(requestPem, names)) return undefined
  return { keyPem, requestPem }
}

/** Makes a key and an order for it, and keeps both. */
export async function placeOrder(
  spoke: KubeClient,
  ref: SecretRef,
  names: AgentNames,
  signal: AbortSignal,
): Promise<CertificateOrder> {
  const key = generateKey()
  const { commonName, organizations } = agentSubject(names)
  const requestPem = createCsr({ ...key, subject: DistinguishedName.of(commonName, organizations) })
  const keyPem = privateKeyPem(key.privateKey)
  await writeSecret(spoke, ref, { [HubKubeconfigKey.PrivateKey]: keyPem, [REQUEST_KEY]: requestPem }, signal)
  return { keyPem, requestPem }
}

/** Forgets an order: its certificate is in place, or of no use. */
export function dropOrder(spoke: KubeClient, ref: SecretRef): Promise<void> {
  return spoke.ensureDeleted(Secret, ref)
}

/** Which requests are about the certificate of a cluster's agent. */
export function requestSelector({ clusterName }: AgentNames): string {
  return `${CLUSTER_NAME_LABEL}=${clusterName},!${ADDON_NAME_LABEL}`
}

/** The request on the hub that belongs to an order. */
export function requestFor(
  { requestPem }: CertificateOrder,
  requests: readonly CertificateSigningRequest[],
): CertificateSigningRequest | undefined {
  const encoded = Buffer.from(requestPem).toString('base64')
  return requests.find(({ spec }) => spec.request === encoded)
}

/** Asks the hub for the certificate. */
export function sendOrder(
  hub: KubeClient,
  { requestPem }: CertificateOrder,
  { clusterName }: AgentNames,
  expirationSeconds: number | undefined,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  return hub.create(
    CertificateSigningRequest,
    {
      metadata: { generateName: `${clusterName}-`, labels: { [CLUSTER_NAME_LABEL]: clusterName } },
      spec: {
        request: Buffer.from(requestPem).toString('base64'),
        signerName: KUBE_CLIENT_SIGNER,
        usages: ['digital signature', 'key encipherment', 'client auth'],
        ...(expirationSeconds !== undefined && { expirationSeconds }),
      },
    },
    { signal },
  )
}

/** Whether a certificate is what was ordered. */
export function fulfils(certificatePem: string, { keyPem }: CertificateOrder, names: AgentNames): boolean {
  const certificate = parseCertificatePem(certificatePem)
  return (
    certificate.subject.commonName === agentSubject(names).commonName && isKeyOf(createPrivateKey(keyPem), certificate)
  )
}

function isRequestOf(requestPem: string, names: AgentNames): boolean {
  try {
    return parseCsr(requestPem).subject.commonName === agentSubject(names).commonName
  } catch {
    return false
  }
}
