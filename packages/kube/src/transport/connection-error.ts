/** What went wrong between here and the server, when the server itself said nothing. */
export interface ConnectionFailure {
  /** The system's name for it, such as `ECONNREFUSED`. */
  readonly code: string
  /** Whether the server may have got the request, and done what it asked. */
  readonly sent: boolean
  /** Whether a part of the answer was here already. */
  readonly answered?: boolean
  readonly cause?: unknown
}

/** A request that got no answer, or only a part of one. */
export class ConnectionError extends Error {
  readonly code: string
  readonly sent: boolean
  readonly answered: boolean

  constructor(message: string, failure: ConnectionFailure) {
    super(message, failure.cause === undefined ? {} : { cause: failure.cause })
    this.name = 'ConnectionError'
    this.code = failure.code
    this.sent = failure.sent
    this.answered = failure.answered ?? false
  }
}

/** Whether an error, or what caused it, is a connection that failed: the server may be there again later. */
export function isConnectionError(error: unknown): error is Error {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ConnectionError) return true
  }
  return false
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'no way to the host',
  ENETUNREACH: 'no way to the network of the host',
  ETIMEDOUT: 'the connection timed out',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the server is signed by no authority that is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the server is signed by no authority that is trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the server is signed by no authority that is trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the server is signed by no authority that is trusted here',
  CERT_SIGNATURE_FAILURE: 'the certificate of the server is signed by no authority that is trusted here',
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet: compare the clocks',
}

/** What is known of a failed socket, in words. */
export function explain(error: Error): { readonly code: string; readonly text: string } {
  // Several addresses of a host may have been tried: what happened to the first says enough.
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const { code = 'ECONNFAILED' } = first as NodeJS.ErrnoException
  return { code, text: EXPLANATIONS[code] ?? first.message }
}

/** Failures of the handshake: the identity of one side is not, or no longer, to the liking of the other. */
export function isTlsFailure(error: unknown): boolean {
  return error instanceof ConnectionError && !error.sent && /CERT|SSL|TLS|SIGN/.test(error.code)
}

/** What to throw at whoever gave up. */
export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new DOMException('the request was given up', 'AbortError')
}
