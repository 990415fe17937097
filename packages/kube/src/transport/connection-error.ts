import { MalformedResponse } from './response-head.js'

/** An error of the connection, without a response of the server. */
export interface ConnectionFailure {
  /** The error code, such as `ECONNREFUSED`. */
  readonly code: string
  /** Whether the server may have received and processed the request. */
  readonly sent: boolean
  /** Whether a part of the response had arrived. */
  readonly answered?: boolean
  readonly cause?: unknown
}

/** A request without a response, or with a part of one. */
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

/** Whether an error, or its cause, is a failed connection: the server may be reachable later. */
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
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network of the host is unreachable',
  ETIMEDOUT: 'the connection timed out',
  EPROTO: 'the port does not serve this protocol',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'the port does not serve this protocol',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the server is not signed by a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the server is not signed by a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the server is not signed by a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the server is not signed by a trusted authority',
  CERT_SIGNATURE_FAILURE: 'the certificate of the server is not signed by a trusted authority',
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet: compare the clocks',
}

/** The message for a failed socket. */
export function explainSocket(error: Error): { readonly code: string; readonly text: string } {
  // If several addresses of a host were tried, the first error is used.
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const { code = 'ECONNFAILED' } = first as NodeJS.ErrnoException
  // A response that cannot be read has an error that says more than its code.
  const text = first instanceof MalformedResponse ? undefined : EXPLANATIONS[code]
  return { code, text: text ?? first.message }
}

/** Errors of the TLS handshake: one side rejects the certificate of the other. */
export function isTlsFailure(error: unknown): boolean {
  return error instanceof ConnectionError && !error.sent && /CERT|SSL|TLS|SIGN/.test(error.code)
}

/** The error for an aborted request. */
export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new DOMException('the request was aborted', 'AbortError')
}
