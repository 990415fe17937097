import { CertificateSigningRequest } from '@orrery/kinds/certificates'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import type { Authority } from '../pki/authority.js'
import { type CertificateRequest, parseCsr } from '../pki/csr.js'
import { signRequest } from '../pki/sign.js'
import { type StatusWriteOptions, writeStatus } from '../write/status.js'

/** The PKCS #10 request inside, with its signature verified. Throws for anything else. */
export function readRequest(request: CertificateSigningRequest): CertificateRequest {
  return parseCsr(Buffer.from(request.spec.request, 'base64').toString('utf8'))
}

export interface IssueOptions extends StatusWriteOptions {
  /** The authority that issues the certificate. */
  readonly authority: Authority
  /** The longest lifetime of a certificate, in milliseconds. Default one year. */
  readonly maxDuration?: number
  /** Default: the system clock. */
  readonly clock?: Clock
}

/**
 * Issues a certificate as a signer and stores it in the status. The caller has checked that the request is for this
 * signer, approved, and requests nothing that is not allowed.
 */
export async function issueFor(
  client: KubeClient,
  request: CertificateSigningRequest,
  options: IssueOptions,
): Promise<CertificateSigningRequest> {
  const { authority, maxDuration, clock = systemClock, ...write } = options
  const { usages = [], expirationSeconds } = request.spec
  const pem = signRequest({
    csr: readRequest(request),
    usages,
    expirationSeconds,
    authority,
    now: clock.now(),
    ...(maxDuration !== undefined && { maxDuration }),
  })
  const certificate = Buffer.from(pem).toString('base64')
  // A certificate that another signer stored in the meantime stays: it is immutable.
  const statusOf = ({ status }: CertificateSigningRequest) =>
    (status?.certificate ?? '') === '' ? { ...status, certificate } : status
  return writeStatus(client, CertificateSigningRequest, request, statusOf, write)
}
