import type { PeerCertificate } from 'node:tls'

/** Who sends a request or opens a stream. */
export interface Caller {
  readonly user: string
  readonly groups: readonly string[]
}

export interface Credentials {
  /** The certificate of the client. Only those that TLS has verified. */
  readonly certificate?: PeerCertificate | undefined
  /** The `Authorization` header, or the metadata of that name. */
  readonly authorization?: string | undefined
}

/** Decides who a caller is and what it may do, on every port. */
export interface Access {
  /** Throws a `MaestroError` of the kind `Unauthenticated`. */
  authenticate(credentials: Credentials): Promise<Caller>
  /**
   * Throws a `MaestroError` of the kind `Forbidden`. Sources `pub` and `sub` on `/sources/<source>` and agents on
   * `/clusters/<cluster>`; REST requests have their path and the method in lower case.
   */
  authorize(caller: Caller, verb: string, path: string): Promise<void>
}
