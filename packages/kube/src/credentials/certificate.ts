import { createPrivateKey } from 'node:crypto'
import type { Secret } from '@orrery/kinds'
import { type Certificate, isKeyOf, parseCertificateBundle } from '../pki/index.js'
import { secretText } from './secret-data.js'

/** The keys of a Secret of type `kubernetes.io/tls`. */
export const CERTIFICATE_KEY = 'tls.crt'
export const PRIVATE_KEY_KEY = 'tls.key'

/** The validity of a credential, and when to request the next one. */
export interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
  readonly renewAt: Date
}

/** The share of its lifetime that is left when a certificate is renewed. */
const RENEWAL_SHARE = 0.2
/** How much more at most, so that clients that started together do not renew together. */
const RENEWAL_SPREAD = 0.25

/** The time in which all certificates of a chain are valid, and when to renew them. */
export function validityOf(chain: readonly Certificate[]): Validity {
  const notBefore = new Date(Math.max(...chain.map((certificate) => certificate.notBefore.getTime())))
  const notAfter = new Date(Math.min(...chain.map((certificate) => certificate.notAfter.getTime())))
  const share = RENEWAL_SHARE * (1 + RENEWAL_SPREAD * fractionOf(chain[0]?.fingerprint ?? ''))
  const renewAt = new Date(notAfter.getTime() - share * (notAfter.getTime() - notBefore.getTime()))
  return { notBefore, notAfter, renewAt }
}

/** Derived from the certificate: the same each time, and different for every certificate. */
function fractionOf(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice(0, 8) || '0', 16) / 2 ** 32
}

/** The validity of the certificate in a Secret; undefined if it has none for this user, or its key is missing. */
export function certificateIn(secret: Secret | undefined, commonName: string): Validity | undefined {
  const certificatePem = secretText(secret, CERTIFICATE_KEY)
  const keyPem = secretText(secret, PRIVATE_KEY_KEY)
  if (certificatePem === undefined || keyPem === undefined) return undefined
  try {
    if (!isCertificateOf(certificatePem, keyPem, commonName)) return undefined
    return validityOf(parseCertificateBundle(certificatePem))
  } catch {
    // An unreadable certificate is replaced like a missing one.
    return undefined
  }
}

/** Whether a certificate is for this user and this key. */
export function isCertificateOf(certificatePem: string, keyPem: string, commonName: string): boolean {
  const [certificate] = parseCertificateBundle(certificatePem)
  if (certificate === undefined || certificate.subject.commonName !== commonName) return false
  return isKeyOf(createPrivateKey(keyPem), certificate)
}
