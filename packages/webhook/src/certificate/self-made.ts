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
} from '@orrery/kube/pki'

/** A certificate and the authority that it was made by, in PEM. */
export interface SelfMade {
  readonly cert: string
  readonly key: string
  readonly ca: string
  readonly caKey: string
}

const DAY = 86_400_000
const AUTHORITY_LIFE = 3_650 * DAY
const SERVING_LIFE = 365 * DAY
/** Clocks of API servers may be behind. */
const HEAD_START = 3_600_000

/** A new certificate of a new authority. */
export function makeCertificate(names: readonly [string, ...string[]], now: Date): SelfMade {
  const key = generateKey().privateKey
  return issue(newAuthority(privateKeyPem(key), now), names, now)
}

/**
 * What should take the place of a certificate; undefined as long as it is good. The authority keeps its key when it is
 * renewed: whoever trusts the old one trusts what the new one makes, and the other way round, so nobody has to follow at
 * once. What cannot be read is made anew.
 */
export function renewCertificate(
  held: SelfMade,
  names: readonly [string, ...string[]],
  now: Date,
): SelfMade | undefined {
  let authority: Authority
  try {
    authority = loadAuthority(held.ca, held.caKey)
  } catch {
    return makeCertificate(names, now)
  }
  if (now >= renewalOf(authority.certificate)) return issue(newAuthority(held.caKey, now), names, now)
  const leaf = readLeaf({ certificate: held.cert, key: held.key }, authority, altNamesOf(names))
  return leaf !== undefined && now < nextRenewal(held) ? undefined : issue(authority, names, now)
}

/** When to look whether a good certificate has to be replaced. */
export function nextRenewal({ cert, ca }: SelfMade): Date {
  const dates = [cert, ca].map((pem) => renewalOf(parseCertificatePem(pem)).getTime())
  return new Date(Math.min(...dates))
}

/** When a third of the time is left. */
function renewalOf({ notBefore, notAfter }: { readonly notBefore: Date; readonly notAfter: Date }): Date {
  return new Date(notAfter.getTime() - (notAfter.getTime() - notBefore.getTime()) / 3)
}

function newAuthority(keyPem: string, now: Date): Authority {
  const start = new Date(now.getTime() - HEAD_START)
  return createAuthority('orrery-webhook', createPrivateKey(keyPem), start, new Date(now.getTime() + AUTHORITY_LIFE))
}

function issue(authority: Authority, names: readonly [string, ...string[]], now: Date): SelfMade {
  const { certificate, key } = issueLeaf(authority, {
    // Common names have at most 64 characters; nobody reads this one.
    subject: DistinguishedName.of('orrery-webhook-server'),
    altNames: altNamesOf(names),
    usages: ['digital signature', 'key encipherment', 'server auth'],
    notBefore: new Date(now.getTime() - HEAD_START),
    notAfter: new Date(Math.min(now.getTime() + SERVING_LIFE, authority.certificate.notAfter.getTime())),
  })
  return { cert: certificate, key, ca: authority.certificatePem, caKey: privateKeyPem(authority.key) }
}
