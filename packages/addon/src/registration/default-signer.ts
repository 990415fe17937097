import { type Clock, systemClock } from '@orrery/kube/clock'
import { readRequest } from '@orrery/kube/csr'
import { type Authority, loadAuthority, signRequest } from '@orrery/kube/pki'
import type { RegistrationRequest } from '../agent-addon.js'

/** Agents use the certificates of custom signers on both ends of a connection. */
const USAGES = ['digital signature', 'key encipherment', 'server auth', 'client auth']

/**
 * Signs requests with a certificate authority in PEM, with an RSA or ECDSA key. Certificates are valid for
 * `durationMilliseconds`, or for a shorter time that the request asks for, and never longer than the authority. Throws if the
 * key does not belong to the certificate, or the certificate is not one of an authority.
 */
export function defaultSigner(
  caKey: string,
  caCertificate: string,
  durationMilliseconds: number,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): (request: RegistrationRequest) => Promise<string> {
  const authority: Authority = loadAuthority(caCertificate, caKey)
  return async ({ request }) =>
    signRequest({
      csr: readRequest(request),
      usages: USAGES,
      expirationSeconds: request.spec.expirationSeconds,
      authority,
      now: clock.now(),
      maxDuration: durationMilliseconds,
    })
}
