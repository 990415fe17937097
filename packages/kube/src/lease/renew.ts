import type { OwnerReference } from '@orrery/kinds'
import { Lease, type LeaseSpec } from '@orrery/kinds/coordination'
import { formatMicroTime, isAlreadyExists, isConflict, isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { CallOptions } from '../client/options.js'
import { type Clock, systemClock } from '../clock.js'
import { within } from '../wait.js'
import { CONFLICT_TRIES } from '../write/retry.js'
import type { LeaseRef } from './expiry.js'

export interface LeaseRenewal extends CallOptions {
  /** Default: the value in the lease. */
  readonly holderIdentity?: string
  /** Default: the value in the lease. */
  readonly leaseDurationSeconds?: number
  /** Labels for a new lease. */
  readonly labels?: Record<string, string>
  /** Owners for a new lease, which is deleted with them. */
  readonly ownerReferences?: readonly OwnerReference[]
  /** Whether to create the lease if it does not exist, instead of failing with `NotFound`. Default true. */
  readonly create?: boolean
  /** The lease as of the last renewal: saves reading it first. */
  readonly last?: Lease | undefined
  /** The timeout: a dead connection must not delay the next renewal. Default 60,000. */
  readonly timeoutMilliseconds?: number
  /** Default: the system clock. */
  readonly clock?: Clock
}

/** Renews a lease. Retries if others write it at the same time. */
export function renewLease(client: KubeClient, ref: LeaseRef, options: LeaseRenewal = {}): Promise<Lease> {
  const { clock = systemClock, timeoutMilliseconds = 60_000, signal = NEVER } = options
  return within(clock, timeoutMilliseconds, signal, (call) => renew(client, ref, { ...options, signal: call }))
}

const NEVER = new AbortController().signal

async function renew(client: KubeClient, ref: LeaseRef, options: LeaseRenewal): Promise<Lease> {
  let { last } = options
  for (let attempt = 1; ; attempt++) {
    const known = last ?? (await read(client, ref, options))
    last = undefined
    try {
      return known === undefined ? await create(client, ref, options) : await update(client, known, options)
    } catch (error) {
      if (attempt >= CONFLICT_TRIES || !isOutrun(error, known)) throw error
    }
  }
}

/** Whether another client created, wrote or deleted the lease since it was read. */
function isOutrun(error: unknown, known: Lease | undefined): boolean {
  return known === undefined ? isAlreadyExists(error) : isConflict(error) || isNotFound(error)
}

function read(client: KubeClient, ref: LeaseRef, options: LeaseRenewal): Promise<Lease | undefined> {
  return options.create === false ? client.get(Lease, ref, callOf(options)) : client.find(Lease, ref, callOf(options))
}

function create(client: KubeClient, { namespace, name }: LeaseRef, options: LeaseRenewal): Promise<Lease> {
  const { labels, ownerReferences } = options
  const owners = ownerReferences === undefined ? {} : { ownerReferences: [...ownerReferences] }
  const metadata = { namespace, name, ...(labels !== undefined && { labels }), ...owners }
  return client.create(Lease, { metadata, spec: renewed({}, options) }, callOf(options))
}

function update(client: KubeClient, lease: Lease, options: LeaseRenewal): Promise<Lease> {
  return client.update(Lease, { ...lease, spec: renewed(lease.spec, options) }, callOf(options))
}

function renewed(spec: LeaseSpec | undefined, options: LeaseRenewal): LeaseSpec {
  const { holderIdentity, leaseDurationSeconds, clock = systemClock } = options
  return {
    ...spec,
    ...(holderIdentity !== undefined && { holderIdentity }),
    ...(leaseDurationSeconds !== undefined && { leaseDurationSeconds }),
    renewTime: formatMicroTime(clock.now()),
  }
}

function callOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal }
}
