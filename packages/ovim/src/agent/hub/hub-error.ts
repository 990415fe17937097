/** Why a request to the hub failed. */
export type HubFailure =
  /** No reply: the hub is unreachable or too slow. */
  | 'unreachable'
  /** Not sent: the circuit breaker is open. */
  | 'circuit-open'
  /** 429 and 5xx: the hub may accept it later. */
  | 'unavailable'
  /** 401 and 403: the credentials are not accepted. */
  | 'denied'
  /** Other replies: the same request will never be accepted. */
  | 'rejected'

/** A request that the hub did not accept. */
export class HubError extends Error {
  override readonly name = 'HubError'
  readonly failure: HubFailure
  /** The code of the reply; undefined without a reply. */
  readonly status: number | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    failure: HubFailure,
    message: string,
    details: { status?: number; retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.failure = failure
    this.status = details.status
    this.retryAfterSeconds = details.retryAfterSeconds
  }

  /** Whether the same request may be accepted later. */
  get isTransient(): boolean {
    return this.failure !== 'rejected'
  }
}
