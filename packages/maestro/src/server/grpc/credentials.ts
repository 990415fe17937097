import { ServerCredentials } from '@grpc/grpc-js'
import type { TlsMaterial, TlsSource } from '../serving/tls-files.js'

/** The credentials of a port: without TLS, or with certificates that may be replaced while the port is open. */
export function serverCredentials(tls: TlsSource | undefined): ServerCredentials {
  return tls === undefined ? ServerCredentials.createInsecure() : new ReplacedCredentials(tls)
}

class ReplacedCredentials extends ServerCredentials {
  constructor(tls: TlsSource) {
    // The library does not say whether a certificate was verified: clients without a good one are not connected.
    const isDemanded = tls.current.clientCa !== undefined
    super({ requestCert: isDemanded, rejectUnauthorized: isDemanded }, contextOf(tls.current))
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
