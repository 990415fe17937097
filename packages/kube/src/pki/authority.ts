import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type Certificate, parseCertificate, parseCertificatePem } from './certificate.js'
import { DistinguishedName } from './distinguished-name.js'
import { type Issuer, issueCertificate, keyIdOf } from './issue.js'
import { encodePem } from './pem.js'
import { usagesFromNames } from './usages.js'

/** A certificate authority: its certificate and signing key. */
export interface Authority {
  readonly certificate: Certificate
  readonly certificatePem: string
  readonly key: KeyObject
  readonly issuer: Issuer
}

export interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const CA_USAGES = usagesFromNames(['digital signature', 'key encipherment', 'cert sign'])

/** A new ECDSA P-256 key. */
export function generateKey(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/**
 * A key in PEM as Kubernetes' own tools write it: EC keys in SEC 1 form (`EC PRIVATE KEY`), which every client reads.
 * Some, such as fabric8 for Java, cannot read EC keys in PKCS #8.
 */
export function privateKeyPem(key: KeyObject): string {
  return key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8', format: 'pem' }) as string
}

/** A self-signed authority for a key. */
export function createAuthority(name: string, key: KeyObject, notBefore: Date, notAfter: Date): Authority {
  const subject = DistinguishedName.of(name)
  const publicKeyDer = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const issuer = { nameDer: subject.encode(), key, keyId: keyIdOf(publicKeyDer) }
  const der = issueCertificate({ subject, publicKeyDer, usages: CA_USAGES, notBefore, notAfter, isCa: true, issuer })
  return { certificate: parseCertificate(der), certificatePem: encodePem('CERTIFICATE', der), key, issuer }
}

/** An authority from its files. Throws if the key does not match the certificate, or the certificate may not sign. */
export function loadAuthority(certificatePem: string, keyPem: string): Authority {
  const certificate = parseCertificatePem(certificatePem)
  const key = createPrivateKey(keyPem)
  if (!isKeyOf(key, certificate)) throw new Error('the key of the authority does not belong to its certificate')
  if (!certificate.isCa) throw new Error('the certificate of the authority may not sign other certificates')
  const keyId = certificate.subjectKeyId ?? keyIdOf(certificate.publicKeyDer)
  return { certificate, certificatePem, key, issuer: { nameDer: certificate.subjectDer, key, keyId } }
}

export function isKeyOf(key: KeyObject, certificate: Certificate): boolean {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).equals(certificate.publicKeyDer)
}
