import { ServerCredentials } from '@grpc/grpc-js'
import type { TlsMaterial, TlsSource } from '../serving/tls-files.js'

/**
 * The credentials of a port: without TLS, or with certificates that may be replaced while the port is open.
 * @param isCertificateRequired Whether clients without a certificate of the authority are not connected.
 */
export function serverCredentials(tls: TlsSource | undefined, isCertificateRequired: boolean): ServerCredentials {
  return tls === undefined ? ServerCredentials.createInsecure() : new ReplacedCredentials(tls, isCertificateRequired)
}

class ReplacedCredentials extends ServerCredentials {
  constructor(tls: TlsSource, isCertificateRequired: boolean) {
    // The library passes on only certificates that TLS has verified.
    const requestCert = tls.current.clientCa !== undefined
    super({ requestCert, rejectUnauthorized: requestCert && isCertificateRequired }, contextOf(tls.current))
    tls.onChange((material) => this.updateSecureContextOptions(contextOf(material)))
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other
  }
}

/** Maestro's port has no older version of TLS. */
function contextOf({ cert, key, clientCa }: TlsMaterial) {
  return { cert, key, minVersion: 'TLSv1.3' as const, ...(clientCa !== undefined && { ca: clientCa }) }
}
