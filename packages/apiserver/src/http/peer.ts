import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

const certificates = new WeakMap<object, X509Certificate | null>()

/** Returns the client certificate of this connection, parsed once for each connection. */
export function certificateOf(socket: Socket): X509Certificate | undefined {
  const known = certificates.get(socket)
  if (known !== undefined) return known ?? undefined
  const read = (socket as TLSSocket).getPeerX509Certificate
  const certificate = read === undefined ? undefined : read.call(socket)
  certificates.set(socket, certificate ?? null)
  return certificate
}
