import type { Authority } from './authority.js'
import type { CertificateRequest } from './csr.js'
import { issueCertificate } from './issue.js'
import { encodePem } from './pem.js'
import { usagesFromNames } from './usages.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Certificates start a little in the past, for clients whose clocks are behind. */
const BACKDATE = 5 * MINUTE
/** For shorter lifetimes, the backdating is not subtracted from the end. */
const SHORT_LIVED = 8 * HOUR
const MIN_DURATION = 10 * MINUTE
/** The longest lifetime, and the default. */
export const DEFAULT_MAX_DURATION = 365 * 24 * HOUR

export interface SigningOptions {
  readonly csr: CertificateRequest
  readonly usages: readonly string[]
  /** `spec.expirationSeconds`; undefined for the maximum. */
  readonly expirationSeconds: number | undefined
  readonly authority: Authority
  readonly now: Date
  /** Milliseconds. Default one year. */
  readonly maxDuration?: number
}

/**
 * Signs an approved request and returns the certificate in PEM. Subject and alternative names come from the request,
 * usages from the API object, everything else from the signer.
 */
export function signRequest(options: SigningOptions): string {
  const { csr, authority, now } = options
  const { notBefore, notAfter } = signingWindow(options)
  const expiry = authority.certificate.notAfter
  if (notBefore >= expiry) throw new Error(`the signer has expired: NotAfter=${expiry.toISOString()}`)
  if (now >= expiry) {
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${expiry.toISOString()}`)
  }
  const der = issueCertificate({
    subject: csr.subject.asRead(),
    altNames: csr.altNames,
    publicKeyDer: csr.publicKeyDer,
    usages: usagesFromNames(options.usages),
    notBefore,
    notAfter,
    issuer: authority.issuer,
  })
  return encodePem('CERTIFICATE', der)
}

function signingWindow(options: SigningOptions): { notBefore: Date; notAfter: Date } {
  const { now, authority, expirationSeconds, maxDuration = DEFAULT_MAX_DURATION } = options
  const wanted = expirationSeconds === undefined ? maxDuration : expirationSeconds * 1000
  const duration = Math.min(Math.max(wanted, MIN_DURATION), maxDuration)
  const end = now.getTime() + (duration < SHORT_LIVED ? duration : duration - BACKDATE)
  return {
    notBefore: new Date(now.getTime() - BACKDATE),
    notAfter: new Date(Math.min(end, authority.certificate.notAfter.getTime())),
  }
}
