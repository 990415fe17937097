import { createPrivateKey } from 'node:crypto'
import type { AltNames } from './alt-names.js'
import { type Authority, generateKey, isKeyOf, privateKeyPem } from './authority.js'
import { type Certificate, parseCertificatePem } from './certificate.js'
import type { DistinguishedName } from './distinguished-name.js'
import { issueCertificate } from './issue.js'
import { encodePem } from './pem.js'
import { usagesFromNames } from './usages.js'

/** A certificate and its key in PEM, for one end of a TLS connection. */
export interface Credentials {
  readonly certificate: string
  readonly key: string
}

export interface LeafOptions {
  readonly subject: DistinguishedName
  readonly altNames: AltNames
  /** With the names of Kubernetes: `server auth`. */
  readonly usages: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
}

/** A certificate of an authority, for a new key. */
export function issueLeaf({ issuer }: Authority, { usages, ...fields }: LeafOptions): Credentials {
  const { privateKey, publicKey } = generateKey()
  const der = issueCertificate({
    ...fields,
    publicKeyDer: publicKey.export({ type: 'spki', format: 'der' }),
    usages: usagesFromNames(usages),
    issuer,
  })
  return { certificate: encodePem('CERTIFICATE', der), key: privateKeyPem(privateKey) }
}

/** The certificate, if it matches its key, authority and names; its age is not checked. */
export function readLeaf(credentials: Credentials, authority: Authority, wanted: AltNames): Certificate | undefined {
  try {
    const certificate = parseCertificatePem(credentials.certificate)
    const { dns, ips } = certificate.altNames
    const isGood =
      isKeyOf(createPrivateKey(credentials.key), certificate) &&
      certificate.issuerDer.equals(authority.certificate.subjectDer) &&
      certificate.isSignedBy(authority.key) &&
      wanted.dns.every((name) => dns.includes(name)) &&
      wanted.ips.every((ip) => ips.includes(ip))
    return isGood ? certificate : undefined
  } catch {
    // An unreadable certificate is replaced, too.
    return undefined
  }
}
