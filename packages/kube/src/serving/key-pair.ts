import { createSecureContext } from 'node:tls'
import { parseCertificateBundle } from '../pki/index.js'

/** A serving certificate and its key, in PEM, and the authority that clients trust. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
  /** Undefined if it is not known. */
  readonly ca: string | undefined
  readonly notAfter: Date
}

/** A pair that a server can use. Throws if it cannot. */
export function keyPairOf(cert: string, key: string, ca: string | undefined): KeyPair {
  const [leaf] = parseCertificateBundle(cert)
  if (leaf === undefined) throw new Error('tls.crt has no certificate')
  // A file that is being written is empty at first, and OpenSSL accepts an empty key.
  if (key.trim() === '') throw new Error('tls.key has no key')
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new Error(`tls.crt and tls.key cannot be used together (${(error as NodeJS.ErrnoException).code})`)
  }
  return { cert, key, ca, notAfter: leaf.notAfter }
}
