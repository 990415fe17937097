import type { Lease } from '@orrery/kinds'
import type { KubeClient } from '../client/client.js'
import { systemClock } from '../clock.js'
import { type Logger, silentLogger } from '../log.js'
import { jittered, pause } from '../wait.js'
import type { LeaseRef } from './expiry.js'
import { type LeaseRenewal, renewLease } from './renew.js'

export interface LeaseKeeping extends Omit<LeaseRenewal, 'last' | 'timeoutMilliseconds' | 'signal'> {
  /** The shortest time between renewals; the longest is a quarter more, so that holders are not synchronized. */
  readonly periodMilliseconds: number
  /** While this returns false, the lease is not renewed and expires. Default: always true. */
  readonly isHealthy?: () => boolean | Promise<boolean>
  /** Called after each renewal. */
  readonly onRenewed?: (lease: Lease) => void
  /** Default none. */
  readonly log?: Logger
  /** Default `Math.random`. */
  readonly random?: () => number
}

/** A lease that is being renewed. */
export interface KeptLease {
  /** Stops renewing. Resolves with the lease as of the last renewal; undefined if the last renewal failed. */
  stop(): Promise<Lease | undefined>
}

const JITTER = 0.25
const FIRST_RETRY = 1_000

/** Renews a lease until it is stopped. A failed renewal is retried after 1, 2, 4 … seconds, up to the period. */
export function keepLease(client: KubeClient, ref: LeaseRef, options: LeaseKeeping): KeptLease {
  const { periodMilliseconds: period, clock = systemClock, random = Math.random, log = silentLogger } = options
  const { isHealthy = () => true, onRenewed } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let last: Lease | undefined
  let failures = 0

  const renew = async () => {
    try {
      if (!(await isHealthy())) return
      last = await renewLease(client, ref, { ...options, last, timeoutMilliseconds: period, signal })
      if (failures > 0) log.info('lease renewed again', { kind: 'Lease', ...ref, failures })
      failures = 0
      onRenewed?.(last)
    } catch (error) {
      if (signal.aborted) return
      last = undefined
      if (failures++ === 0) log.warn('lease not renewed', { kind: 'Lease', ...ref, error })
    }
  }
  const wait = () =>
    failures === 0
      ? jittered(period, JITTER, random)
      : jittered(Math.min(FIRST_RETRY * 2 ** (failures - 1), period), 1, random)
  const run = async () => {
    while (!signal.aborted) {
      await renew()
      await pause(clock, wait(), signal)
    }
  }

  const done = run()
  return {
    async stop() {
      stopping.abort()
      await done
      return last
    },
  }
}
