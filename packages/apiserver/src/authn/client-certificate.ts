import {
  type Certificate,
  DerError,
  OID_CLIENT_AUTH,
  parseCertificate,
  type TrustRoots,
  UntrustedCertificate,
  verifyChain,
} from '@orrery/kube/pki'
import type { Identity } from '../identity/identity.js'
import { type Authenticated, CREDENTIAL_ID, CredentialRefused } from './credentials.js'

/** The part of a peer certificate that is needed; `X509Certificate` of Node.js implements it. */
export interface PeerCertificate {
  readonly raw: Buffer
  readonly issuerCertificate?: PeerCertificate | undefined
}

const OID_UID = '1.3.6.1.4.1.57683.2'
const MAX_INTERMEDIATES = 8

/**
 * Verifies a client certificate: the common name is the user, the organizations are the groups. Returns undefined if it
 * has no user; throws `CredentialRefused` if it is not trusted.
 */
export function verifyClientCertificate(
  peer: PeerCertificate,
  roots: TrustRoots,
  now: Date,
): Authenticated | undefined {
  try {
    const leaf = parseCertificate(peer.raw)
    const validUntil = verifyChain(leaf, intermediatesOf(peer), roots, OID_CLIENT_AUTH, now)
    const identity = identityOf(leaf)
    return identity && { identity, expiresAt: validUntil.getTime(), dependsOn: [] }
  } catch (error) {
    if (!(error instanceof UntrustedCertificate || error instanceof DerError)) throw error
    throw new CredentialRefused(`verifying certificate failed: ${error.message}`)
  }
}

function identityOf({ subject, fingerprint }: Certificate): Identity | undefined {
  if (subject.commonName === '') return undefined
  const uids = subject.attributes.get(OID_UID) ?? []
  if (uids.length > 1) throw new CredentialRefused('expected 1 UID, but found multiple')
  if (uids[0] === '') throw new CredentialRefused('UID cannot be an empty string')
  return {
    username: subject.commonName,
    uid: uids[0] ?? '',
    groups: subject.organizations,
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  }
}

/**
 * Returns the intermediate certificates of the peer. In Node.js a self-signed one is its own issuer, which ends the
 * chain.
 */
function intermediatesOf(peer: PeerCertificate): Certificate[] {
  const found: Certificate[] = []
  let below = peer
  let above = peer.issuerCertificate
  while (above !== undefined && !above.raw.equals(below.raw) && found.length < MAX_INTERMEDIATES) {
    found.push(parseCertificate(above.raw))
    below = above
    above = above.issuerCertificate
  }
  return found
}
