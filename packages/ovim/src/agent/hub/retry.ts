/** How requests to the hub are repeated. */
export interface RetryPolicy {
  /** Repetitions after the first attempt. */
  readonly retries: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  readonly factor: number
  /** Delays vary by this part in both directions, so that agents are not synchronized. */
  readonly jitter: number
}

export const DEFAULT_RETRY: RetryPolicy = {
  retries: 5,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  factor: 2,
  jitter: 0.1,
}

/** Replies after which the same request may succeed. */
const RETRIED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/** A longer `Retry-After` is shortened to this. */
const MAX_RETRY_AFTER_MS = 300_000

export function isRetried(status: number): boolean {
  return RETRIED.has(status)
}

/** The delay after this many failures in a row; at least what the hub asked for with `Retry-After`. */
export function retryDelay(
  failures: number,
  policy: RetryPolicy,
  random: () => number,
  retryAfterSeconds: number | undefined = undefined,
): number {
  const exponential = Math.min(policy.firstDelayMs * policy.factor ** (failures - 1), policy.maxDelayMs)
  const jittered = exponential * (1 - policy.jitter + 2 * policy.jitter * random())
  const asked = Math.min((retryAfterSeconds ?? 0) * 1_000, MAX_RETRY_AFTER_MS)
  return Math.max(jittered, asked)
}
