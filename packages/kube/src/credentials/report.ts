/** The state of a credential, for a condition or an event. */
export type CredentialReport =
  | { readonly state: 'valid'; readonly notBefore: Date; readonly notAfter: Date }
  | { readonly state: 'failed'; readonly problem: CredentialProblem; readonly message: string }

/**
 * Why there is no new credential: the request could not be created, too many requests are pending on the server, the
 * request was denied or failed, or the new credential has expired by the local clock.
 */
export type CredentialProblem = 'not-created' | 'too-many-requests' | 'denied' | 'expired'

/** The time on a server, as far as a client knows it. */
export interface ServerTime {
  /** The time of the server at this local time. */
  at(now: Date): Date
  /** The problem with the local clock; undefined while it agrees with the server's. */
  readonly problem: string | undefined
}

/** The delay after a credential that cannot be used, in milliseconds. */
export const UNUSABLE_INTERVAL = 60_000

/** The message of an error, for a report. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
