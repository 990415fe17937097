import type { CertificateSigningRequest } from '@orrery/kinds/certificates'
import { Secret } from '@orrery/kinds/core'
import type { KubeClient } from '../client/client.js'
import { type CertificateRequestOptions, type PreparedRequest, prepareRequest } from '../csr/request.js'
import { parseCsr } from '../pki/index.js'
import { PRIVATE_KEY_KEY } from './certificate.js'
import { type SecretRef, type SecretWriteOptions, secretText, writeSecret } from './secret-data.js'

const REQUEST_KEY = 'tls.csr'

/**
 * The pending request. It is stored in a Secret, so that a process that restarts waits for its request instead of
 * sending another: servers ignore a client with too many. A request for another subject does not count.
 */
export async function findPending(
  client: KubeClient,
  ref: SecretRef,
  wanted: CertificateRequestOptions,
  signal: AbortSignal,
): Promise<PreparedRequest | undefined> {
  const secret = await client.find(Secret, ref, { signal })
  const keyPem = secretText(secret, PRIVATE_KEY_KEY)
  const requestPem = secretText(secret, REQUEST_KEY)
  if (keyPem === undefined || requestPem === undefined || !isRequestFor(requestPem, wanted)) return undefined
  return { keyPem, requestPem }
}

/** Creates a key and a request for it, and stores both. */
export async function storePending(
  client: KubeClient,
  ref: SecretRef,
  wanted: CertificateRequestOptions,
  options: SecretWriteOptions,
): Promise<PreparedRequest> {
  const prepared = prepareRequest(wanted)
  await writeSecret(client, ref, { [PRIVATE_KEY_KEY]: prepared.keyPem, [REQUEST_KEY]: prepared.requestPem }, options)
  return prepared
}

/** Deletes the pending request: its certificate is stored, or useless. */
export function deletePending(client: KubeClient, ref: SecretRef): Promise<void> {
  return client.ensureDeleted(Secret, ref)
}

/** The CertificateSigningRequest that a pending request was sent as. */
export function sentRequest(
  { requestPem }: PreparedRequest,
  requests: readonly CertificateSigningRequest[],
): CertificateSigningRequest | undefined {
  const encoded = Buffer.from(requestPem).toString('base64')
  return requests.find(({ spec }) => spec.request === encoded)
}

/** Whether a request has the wanted subject: with other groups, it may never be approved. */
function isRequestFor(
  requestPem: string,
  { commonName, organizations = [], organizationalUnits = [] }: CertificateRequestOptions,
): boolean {
  try {
    const { subject } = parseCsr(requestPem)
    return (
      subject.commonName === commonName &&
      haveSameMembers(subject.organizations, organizations) &&
      haveSameMembers(subject.organizationalUnits, organizationalUnits)
    )
  } catch {
    return false
  }
}

function haveSameMembers(a: readonly string[], b: readonly string[]): boolean {
  const [first, second] = [new Set(a), new Set(b)]
  return first.size === second.size && b.every((value) => first.has(value))
}
