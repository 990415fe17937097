import type { KubeClient } from '../client/client.js'
import { systemClock } from '../clock.js'
import type { Lease } from '../kinds/coordination.generated.js'
import { type Logger, silentLogger } from '../log.js'
import { jittered, pause } from '../wait.js'
import type { LeaseRef } from './expiry.js'
import { type LeaseRenewal, renewLease } from './renew.js'

export interface LeaseKeeping extends Omit<LeaseRenewal, 'last' | 'patienceMilliseconds' | 'signal'> {
  /** Stops renewing. */
  readonly signal: AbortSignal
  /** From one renewal to the next, at least; at most a quarter more. Default 60,000. */
  readonly periodMilliseconds?: number
  /** While this says no, the lease is left to run out. Default: always well. */
  readonly isHealthy?: () => boolean | Promise<boolean>
  /** Default none. */
  readonly log?: Logger
  /** Default `Math.random`. */
  readonly random?: () => number
}

const JITTER = 0.25

/** Renews a lease again and again until the signal stops it. A failed renewal is logged and followed by the next. */
export async function keepLease(client: KubeClient, ref: LeaseRef, options: LeaseKeeping): Promise<void> {
  const { signal, periodMilliseconds = 60_000, clock = systemClock, random, log = silentLogger } = options
  const { isHealthy = () => true } = options
  let last: Lease | undefined
  while (!signal.aborted) {
    try {
      if (await isHealthy())
        last = await renewLease(client, ref, { ...options, last, patienceMilliseconds: periodMilliseconds })
    } catch (error) {
      last = undefined
      if (!signal.aborted) log.warn('Lease not renewed', { kind: 'Lease', ...ref, error })
    }
    await pause(clock, jittered(periodMilliseconds, JITTER, random), signal)
  }
}
