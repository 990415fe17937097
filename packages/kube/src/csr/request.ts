import { CertificateSigningRequest, type KeyUsage } from '@orrery/kinds/certificates'
import type { KubeClient } from '../client/client.js'
import type { WriteOptions } from '../client/options.js'
import type { KeyPair } from '../pki/authority.js'

/** What certificate is wanted, and of whom. */
export interface CertificateOrder {
  readonly signerName: string
  /** The user's name, for clients. */
  readonly commonName: string
  /** The user's groups, for clients. */
  readonly organizations?: readonly string[]
  /** Host names and addresses, for servers. */
  readonly hosts?: Iterable<string>
  /** Default: what a client needs. */
  readonly usages?: readonly KeyUsage[]
  /** Default: as long as the signer gives. */
  readonly expirationSeconds?: number
  /** The name of the request begins so. Default `csr-`. */
  readonly generateName?: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  /** Default: a fresh ECDSA P-256 key. */
  readonly key?: KeyPair
}

/** A request that is on the server, and the key that its certificate will be for. */
export interface OrderedCertificate {
  readonly request: CertificateSigningRequest
  readonly privateKeyPem: string
}

const CLIENT_USAGES: readonly KeyUsage[] = ['digital signature', 'key encipherment', 'client auth']

/** Asks for a certificate. `waitForCertificate` brings it; the private key never leaves this process. */
export async function requestCertificate(
  client: KubeClient,
  order: CertificateOrder,
  options: WriteOptions = {},
): Promise<OrderedCertificate> {
  // Most programs never ask for a certificate, and need not load what reads and writes them.
  const { altNamesOf, createCsr, DistinguishedName, generateKey, privateKeyPem } = await import('../pki/index.js')
  const { signerName, usages = CLIENT_USAGES, expirationSeconds, labels, annotations } = order
  const key = order.key ?? generateKey()
  const pem = createCsr({
    ...key,
    subject: DistinguishedName.of(order.commonName, order.organizations),
    altNames: altNamesOf(order.hosts ?? []),
  })
  const request = await client.create(
    CertificateSigningRequest,
    {
      metadata: {
        generateName: order.generateName ?? 'csr-',
        ...(labels !== undefined && { labels }),
        ...(annotations !== undefined && { annotations }),
      },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName,
        usages: [...usages],
        ...(expirationSeconds !== undefined && { expirationSeconds }),
      },
    },
    options,
  )
  return { request, privateKeyPem: privateKeyPem(key.privateKey) }
}
