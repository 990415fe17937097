import { CertificateSigningRequest, type KeyUsage } from '@orrery/kinds/certificates'
import type { KubeClient } from '../client/client.js'
import type { WriteOptions } from '../client/options.js'
import { altNamesOf } from '../pki/alt-names.js'
import { generateKey, type KeyPair, privateKeyPem } from '../pki/authority.js'
import { createCsr } from '../pki/csr.js'
import { DistinguishedName } from '../pki/distinguished-name.js'

/** Which certificate to request, and from which signer. */
export interface CertificateRequestOptions {
  readonly signerName: string
  /** The user's name, for clients. */
  readonly commonName: string
  /** The user's groups, for clients. */
  readonly organizations?: readonly string[]
  /** Organizational units, for custom signers. Default none. */
  readonly organizationalUnits?: readonly string[]
  /** Host names and addresses, for servers. */
  readonly hosts?: Iterable<string>
  /** Default: those of a client. */
  readonly usages?: readonly KeyUsage[]
  /** Default: the signer decides. */
  readonly expirationSeconds?: number | undefined
  /** Default `csr-`. */
  readonly generateName?: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
}

/** A PKCS #10 request, and the key that its certificate will be for. */
export interface PreparedRequest {
  readonly requestPem: string
  readonly keyPem: string
}

/** A request on the server, and the key of its certificate. */
export interface RequestedCertificate {
  readonly request: CertificateSigningRequest
  readonly privateKeyPem: string
}

const CLIENT_USAGES: readonly KeyUsage[] = ['digital signature', 'key encipherment', 'client auth']

/** Requests a certificate. `waitForCertificate` returns it; the private key never leaves this process. */
export async function requestCertificate(
  client: KubeClient,
  wanted: CertificateRequestOptions & { readonly key?: KeyPair },
  options: WriteOptions = {},
): Promise<RequestedCertificate> {
  const { requestPem, keyPem } = prepareRequest(wanted, wanted.key)
  return { request: await sendRequest(client, wanted, requestPem, options), privateKeyPem: keyPem }
}

/** Creates the request, with a new ECDSA P-256 key unless one is given. Sends nothing. */
export function prepareRequest(wanted: CertificateRequestOptions, given?: KeyPair): PreparedRequest {
  const key = given ?? generateKey()
  const subject = DistinguishedName.of(wanted.commonName, wanted.organizations, wanted.organizationalUnits)
  const requestPem = createCsr({ ...key, subject, altNames: altNamesOf(wanted.hosts ?? []) })
  return { requestPem, keyPem: privateKeyPem(key.privateKey) }
}

/** Creates the CertificateSigningRequest on the server. */
export function sendRequest(
  client: KubeClient,
  wanted: CertificateRequestOptions,
  requestPem: string,
  options: WriteOptions = {},
): Promise<CertificateSigningRequest> {
  const { signerName, usages = CLIENT_USAGES, expirationSeconds, labels, annotations, generateName = 'csr-' } = wanted
  const metadata = {
    generateName,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  }
  const spec = {
    request: Buffer.from(requestPem).toString('base64'),
    signerName,
    usages: [...usages],
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  }
  return client.create(CertificateSigningRequest, { metadata, spec }, options)
}
