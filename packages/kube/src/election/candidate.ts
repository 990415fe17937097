import { Lease, type LeaseSpec } from '@orrery/kinds/coordination'
import { isConflict, isNotFound, jsonEqual } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { Clock } from '../clock.js'
import type { LeaseRef } from '../lease/expiry.js'
import type { Logger } from '../log.js'
import { released, renewed, takenOver } from './record.js'

export interface CandidateOptions {
  readonly client: KubeClient
  readonly lease: LeaseRef
  readonly identity: string
  readonly isGone: (holder: string) => boolean
  /** Milliseconds. */
  readonly leaseDuration: number
  readonly labels: Record<string, string> | undefined
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Acquires, renews and releases one lease by the rules of client-go. Clocks of different machines are never compared:
 * a lease has expired when this candidate has not seen it change for its duration, or knows that its holder is gone.
 */
export class Candidate {
  readonly #options: CandidateOptions
  readonly #seconds: number
  /** The lease as this candidate last wrote it. */
  #held: Lease | undefined
  #seen: LeaseSpec | undefined
  #hasRunOut = false
  #stopTimer: () => void = () => undefined

  constructor(options: CandidateOptions) {
    this.#options = options
    this.#seconds = Math.ceil(options.leaseDuration / 1000)
  }

  /** The holder of the lease when it was last seen. */
  get leader(): string {
    return this.#seen?.holderIdentity ?? ''
  }

  /** One attempt to acquire or renew the lease: false if another holds it. Throws if that is unknown. */
  async hold(signal: AbortSignal): Promise<boolean> {
    if (this.#held !== undefined && (await this.#keep(this.#held, signal))) return true
    const { client, lease: ref, identity, isGone, clock } = this.#options
    const lease = await client.find(Lease, ref, { signal })
    signal.throwIfAborted()
    this.#held = undefined
    if (lease === undefined) {
      this.#took(await this.#create(signal), signal)
      return true
    }
    this.#observe(lease.spec ?? {})
    const spec = lease.spec ?? {}
    const { holderIdentity: holder = '' } = spec
    if (holder !== '' && holder !== identity && !this.#hasRunOut && !isGone(holder)) return false
    const now = clock.now()
    const next = holder === identity ? renewed(spec, this.#seconds, now) : takenOver(spec, identity, this.#seconds, now)
    this.#took(await client.update(Lease, { ...lease, spec: next }, { signal }), signal)
    return true
  }

  /** Releases the lease, if it is still held. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, lease: ref, identity, clock } = this.#options
    for (let lease = this.#held; ; lease = await client.find(Lease, ref, { signal })) {
      signal.throwIfAborted()
      if (lease?.spec?.holderIdentity !== identity) break
      try {
        const { spec } = await client.update(Lease, { ...lease, spec: released(lease.spec, clock.now()) }, { signal })
        this.#observe(spec ?? {})
        break
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
    this.#held = undefined
  }

  /** Forgets the lease and stops all timers. */
  close(): void {
    this.#stopTimer()
    this.#held = undefined
    this.#seen = undefined
  }

  /** Renews without reading first: false if the lease is not as this candidate wrote it. */
  async #keep(held: Lease, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#options
    const spec = renewed(held.spec ?? {}, this.#seconds, clock.now())
    try {
      this.#took(await client.update(Lease, { ...held, spec }, { signal }), signal)
      return true
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false
      throw error
    }
  }

  #create(signal: AbortSignal): Promise<Lease> {
    const { client, lease, identity, labels, clock } = this.#options
    const metadata = { ...lease, ...(labels !== undefined && { labels }) }
    const spec = takenOver(undefined, identity, this.#seconds, clock.now())
    return client.create(Lease, { metadata, spec }, { signal })
  }

  #took(lease: Lease, signal: AbortSignal): void {
    // A response that comes after an abort must not change anything.
    signal.throwIfAborted()
    this.#held = lease
    this.#observe(lease.spec ?? {})
  }

  #observe(spec: LeaseSpec): void {
    if (this.#seen !== undefined && jsonEqual(this.#seen, spec)) return
    const { clock, log, lease, leaseDuration } = this.#options
    if (this.#seen?.holderIdentity !== spec.holderIdentity) {
      log.info('Leader changed', { kind: 'Lease', ...lease, leader: spec.holderIdentity ?? '' })
    }
    this.#seen = spec
    this.#hasRunOut = false
    this.#stopTimer()
    const lasts = spec.leaseDurationSeconds === undefined ? leaseDuration : spec.leaseDurationSeconds * 1000
    this.#stopTimer = clock.after(lasts, () => {
      this.#hasRunOut = true
    })
  }
}
