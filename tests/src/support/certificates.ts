import {
  DistinguishedName,
  encodePem,
  generateKey,
  issueCertificate,
  privateKeyPem,
  usagesFromNames,
} from '@orrery/kube/pki'

export type CertificateFields = Parameters<typeof issueCertificate>[0]

/** A certificate and its key in PEM. */
export interface Issued {
  readonly cert: string
  readonly key: string
}

const HOUR = 3_600_000

/** A client certificate that is valid for an hour; `overrides` change it, or make it invalid. */
export function issue(
  issuer: CertificateFields['issuer'],
  user: { readonly name: string; readonly groups?: readonly string[] },
  overrides: Partial<CertificateFields> = {},
  keys: ReturnType<typeof generateKey> = generateKey(),
): Issued {
  const der = issueCertificate({
    subject: DistinguishedName.of(user.name, user.groups),
    publicKeyDer: keys.publicKey.export({ type: 'spki', format: 'der' }),
    usages: usagesFromNames(['digital signature', 'client auth']),
    notBefore: new Date(Date.now() - HOUR),
    notAfter: new Date(Date.now() + HOUR),
    issuer,
    ...overrides,
  })
  return { cert: encodePem('CERTIFICATE', der), key: privateKeyPem(keys.privateKey) }
}
