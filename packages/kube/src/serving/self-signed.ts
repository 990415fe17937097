import { createPrivateKey } from 'node:crypto'
import {
  type Authority,
  altNamesOf,
  createAuthority,
  DistinguishedName,
  generateKey,
  issueLeaf,
  loadAuthority,
  parseCertificatePem,
  privateKeyPem,
  readLeaf,
} from '../pki/index.js'

/** A serving certificate and the authority that issued it, in PEM. */
export interface SelfSigned {
  readonly cert: string
  readonly key: string
  readonly ca: string
  readonly caKey: string
}

const DAY = 86_400_000
const AUTHORITY_LIFE = 3_650 * DAY
const SERVING_LIFE = 365 * DAY
/** Clients' clocks may be behind. */
const HEAD_START = 3_600_000

/** Issues a certificate for host names, by a new authority with that common name. */
export function selfSigned(commonName: string, names: readonly [string, ...string[]], now: Date): SelfSigned {
  const key = generateKey().privateKey
  return issue(newAuthority(commonName, privateKeyPem(key), now), commonName, names, now)
}

/**
 * The certificate that should replace `held`; undefined while that one is valid long enough. The authority keeps its
 * key when it is renewed: clients that trust the old one accept certificates of the new one and vice versa, so they
 * need not be updated at once. An unreadable certificate is replaced.
 */
export function renewed(
  held: SelfSigned,
  commonName: string,
  names: readonly [string, ...string[]],
  now: Date,
): SelfSigned | undefined {
  let authority: Authority
  try {
    authority = loadAuthority(held.ca, held.caKey)
  } catch {
    return selfSigned(commonName, names, now)
  }
  if (now >= renewalOf(authority.certificate))
    return issue(newAuthority(commonName, held.caKey, now), commonName, names, now)
  const leaf = readLeaf({ certificate: held.cert, key: held.key }, authority, altNamesOf(names))
  return leaf !== undefined && now < nextRenewal(held) ? undefined : issue(authority, commonName, names, now)
}

/** When a valid certificate has to be renewed. */
export function nextRenewal({ cert, ca }: SelfSigned): Date {
  const dates = [cert, ca].map((pem) => renewalOf(parseCertificatePem(pem)).getTime())
  return new Date(Math.min(...dates))
}

/** When a third of the lifetime is left. */
function renewalOf({ notBefore, notAfter }: { readonly notBefore: Date; readonly notAfter: Date }): Date {
  return new Date(notAfter.getTime() - (notAfter.getTime() - notBefore.getTime()) / 3)
}

function newAuthority(commonName: string, keyPem: string, now: Date): Authority {
  const start = new Date(now.getTime() - HEAD_START)
  return createAuthority(commonName, createPrivateKey(keyPem), start, new Date(now.getTime() + AUTHORITY_LIFE))
}

function issue(authority: Authority, commonName: string, names: readonly [string, ...string[]], now: Date): SelfSigned {
  const { certificate, key } = issueLeaf(authority, {
    // Clients verify the alternative names; a common name has at most 64 characters.
    subject: DistinguishedName.of(`${commonName}-server`),
    altNames: altNamesOf(names),
    usages: ['digital signature', 'key encipherment', 'server auth'],
    notBefore: new Date(now.getTime() - HEAD_START),
    notAfter: new Date(Math.min(now.getTime() + SERVING_LIFE, authority.certificate.notAfter.getTime())),
  })
  return { cert: certificate, key, ca: authority.certificatePem, caKey: privateKeyPem(authority.key) }
}
