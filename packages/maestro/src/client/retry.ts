import { isServerTimeout, isServiceUnavailable, isTimeout, isTooManyRequests, StatusError } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'

export interface RetryOptions {
  /** How often a request is sent before it fails. 1 disables retries. Default 5. */
  readonly attempts?: number
  /** The delay after the first failure, in milliseconds. It doubles each time. Default 200. */
  readonly firstMilliseconds?: number
  /** Default 10,000. */
  readonly maxMilliseconds?: number
}

export interface RetryPolicy extends Required<RetryOptions> {
  readonly clock: Clock
  readonly random: () => number
}

/** A longer `Retry-After` is not waited for. */
const MAX_ASKED_SECONDS = 60

export function retryPolicyOf(options: RetryOptions, clock: Clock, random: () => number): RetryPolicy {
  const { attempts = 5, firstMilliseconds = 200, maxMilliseconds = 10_000 } = options
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new RangeError(`retry.attempts ${attempts} is not valid: use 1 or more`)
  }
  return { attempts, firstMilliseconds, maxMilliseconds, clock, random }
}

/** Whether the same request can succeed later: the server cannot be reached, is too slow or too busy. */
export function isRetryable(error: unknown): boolean {
  return isServerTimeout(error) || isServiceUnavailable(error) || isTooManyRequests(error) || isTimeout(error)
}

/** Repeats a request with exponential backoff while its error is retryable. The function receives the number of the attempt, from 1. */
export async function withRetry<T>(
  { attempts, firstMilliseconds, maxMilliseconds, clock, random }: RetryPolicy,
  signal: AbortSignal | undefined,
  run: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt)
    } catch (error) {
      signal?.throwIfAborted()
      if (attempt >= attempts || !isRetryable(error)) throw error
      const limit = Math.min(firstMilliseconds * 2 ** (attempt - 1), maxMilliseconds)
      await pause(clock, Math.max(limit * (0.5 + random() / 2), askedFor(error)), signal ?? NEVER)
      signal?.throwIfAborted()
    }
  }
}

const NEVER = new AbortController().signal

function askedFor(error: unknown): number {
  const seconds = error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) : 0
  return seconds <= MAX_ASKED_SECONDS ? seconds * 1000 : 0
}
