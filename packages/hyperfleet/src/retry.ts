import type { Clock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'

/** How the delay grows with each attempt. */
export type RetryBackoff = 'exponential' | 'linear' | 'constant'

export interface RetryPolicy {
  /** The number of attempts, the first one included. */
  readonly attempts: number
  readonly backoff: RetryBackoff
  readonly baseMilliseconds: number
  readonly maxMilliseconds: number
}

/** The defaults of HyperFleet's adapter framework. */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 3,
  backoff: 'exponential',
  baseMilliseconds: 1_000,
  maxMilliseconds: 30_000,
}

/** Delays vary by this part in both directions, so that adapters are not synchronized. */
const JITTER = 0.1

/** The delay after a number of failed attempts. */
export function delayAfter(failures: number, policy: RetryPolicy, random: () => number = Math.random): number {
  const { backoff, baseMilliseconds, maxMilliseconds } = policy
  const factor = { exponential: 2 ** (failures - 1), linear: failures, constant: 1 }[backoff]
  const jittered = baseMilliseconds * factor * (1 - JITTER + 2 * JITTER * random())
  return Math.min(jittered, maxMilliseconds)
}

export interface RetryOptions {
  readonly policy: RetryPolicy
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Whether the same call can succeed later. */
  readonly isTransient: (error: unknown) => boolean
}

/** Repeats a call that fails for a reason that can pass. Throws the error of the last attempt. */
export async function retried<T>(options: RetryOptions, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { policy, clock, signal, isTransient } = options
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await call(signal)
    } catch (error) {
      if (attempt >= policy.attempts || signal.aborted || !isTransient(error)) throw error
    }
    await pause(clock, delayAfter(attempt, policy), signal)
  }
}
