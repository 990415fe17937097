import type { KeyObject } from 'node:crypto'
import { type Certificate, certificateKey } from './certificate.js'
import { KEY_CERT_SIGN_BIT, OID_ANY_USAGE } from './usages.js'

const MAX_DEPTH = 6
/** Limits the work for a malicious set of intermediates with equal names. */
const MAX_SIGNATURE_CHECKS = 30

/** A certificate that must not be trusted, and why. */
export class UntrustedCertificate extends Error {
  constructor(why: string) {
    super(`x509: ${why}`)
    this.name = 'UntrustedCertificate'
  }
}

/** The trusted authorities, with their keys read once. */
export class TrustRoots {
  readonly certificates: readonly Certificate[]
  readonly #keys = new Map<Certificate, KeyObject>()

  constructor(certificates: readonly Certificate[]) {
    this.certificates = certificates
    for (const certificate of certificates) this.#keys.set(certificate, certificateKey(certificate))
  }

  keyOf(issuer: Certificate): KeyObject {
    return this.#keys.get(issuer) ?? certificateKey(issuer)
  }
}

/**
 * Verifies that a chain leads from `leaf` to a root, that all its certificates are valid now, and that it may be used
 * for `usage` (an extended usage). Returns until when that is the case; throws `UntrustedCertificate` otherwise.
 */
export function verifyChain(
  leaf: Certificate,
  intermediates: readonly Certificate[],
  roots: TrustRoots,
  usage: string,
  now: Date,
): Date {
  checkMember(leaf, usage, now)
  let checksLeft = MAX_SIGNATURE_CHECKS
  let problem = new UntrustedCertificate('certificate signed by unknown authority')

  const expiryVia = (child: Certificate, depth: number, seen: ReadonlySet<string>): Date | undefined => {
    if (depth > MAX_DEPTH) return undefined
    for (const [isRoot, candidates] of [
      [true, roots.certificates],
      [false, intermediates],
    ] as const) {
      for (const issuer of candidates) {
        if (!issuer.subjectDer.equals(child.issuerDer) || seen.has(issuer.fingerprint)) continue
        if (checksLeft-- <= 0) return undefined
        try {
          if (!child.isSignedBy(roots.keyOf(issuer))) continue
          checkAuthority(issuer, depth, usage, now)
        } catch (error) {
          if (error instanceof UntrustedCertificate) problem = error
          continue
        }
        const above = isRoot ? issuer.notAfter : expiryVia(issuer, depth + 1, new Set([...seen, issuer.fingerprint]))
        if (above !== undefined) return earlier(above, child.notAfter)
      }
    }
    return undefined
  }

  const validUntil = expiryVia(leaf, 0, new Set([leaf.fingerprint]))
  if (validUntil === undefined) throw problem
  return validUntil
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}

function checkAuthority(issuer: Certificate, authoritiesBelow: number, usage: string, now: Date): void {
  checkMember(issuer, usage, now)
  if (!issuer.isCa || issuer.keyUsage?.has(KEY_CERT_SIGN_BIT) === false) {
    throw new UntrustedCertificate('invalid signature: parent certificate cannot sign this kind of certificate')
  }
  if (issuer.pathLength !== undefined && authoritiesBelow > issuer.pathLength) {
    throw new UntrustedCertificate('too many intermediates for path length constraint')
  }
}

function checkMember(certificate: Certificate, usage: string, now: Date): void {
  if (now < certificate.notBefore || now > certificate.notAfter) {
    const [verb, bound] =
      now < certificate.notBefore ? ['before', certificate.notBefore] : ['after', certificate.notAfter]
    const detail = `current time ${now.toISOString()} is ${verb} ${bound.toISOString()}`
    throw new UntrustedCertificate(`certificate has expired or is not yet valid: ${detail}`)
  }
  if (certificate.unknownCritical.length > 0) throw new UntrustedCertificate('unhandled critical extension')
  const allowed = certificate.extendedUsages
  if (allowed !== undefined && !allowed.has(usage) && !allowed.has(OID_ANY_USAGE)) {
    throw new UntrustedCertificate('certificate specifies an incompatible key usage')
  }
}
