import { CertificateSigningRequest } from '@orrery/kinds/certificates'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import type { Authority } from '../pki/authority.js'
import type { CertificateRequest } from '../pki/csr.js'
import { type StatusWriteOptions, writeStatus } from '../write/status.js'

/** The PKCS #10 request inside, its signature verified. Rejects anything that is not one. */
export async function readRequest(request: CertificateSigningRequest): Promise<CertificateRequest> {
  const { parseCsr } = await import('../pki/csr.js')
  return parseCsr(Buffer.from(request.spec.request, 'base64').toString('utf8'))
}

export interface IssueOptions extends StatusWriteOptions {
  /** Whose certificate the new one hangs from. */
  readonly authority: Authority
  /** What a certificate gets at most, in milliseconds. Default one year. */
  readonly maxDuration?: number
  /** Default the system clock. */
  readonly clock?: Clock
}

/**
 * Signs a request as its signer does and puts the certificate into its status. The caller has made sure that the request
 * is for its signer, approved, and asks for nothing that must not be had.
 */
export async function issueFor(
  client: KubeClient,
  request: CertificateSigningRequest,
  options: IssueOptions,
): Promise<CertificateSigningRequest> {
  const { authority, maxDuration, clock = systemClock, ...write } = options
  const { usages = [], expirationSeconds } = request.spec
  const { signRequest } = await import('../pki/sign.js')
  const pem = signRequest({
    csr: await readRequest(request),
    usages,
    expirationSeconds,
    authority,
    now: clock.now(),
    ...(maxDuration !== undefined && { maxDuration }),
  })
  const certificate = Buffer.from(pem).toString('base64')
  // A certificate that somebody else has put there in the meantime stays: it cannot be changed any more.
  const statusOf = ({ status }: CertificateSigningRequest) =>
    (status?.certificate ?? '') === '' ? { ...status, certificate } : status
  return writeStatus(client, CertificateSigningRequest, request, statusOf, write)
}
