import { hostname } from 'node:os'
import { isAlreadyExists, isConflict } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import type { LeaseRef } from '../lease/expiry.js'
import { type Logger, stderrLogger } from '../log.js'
import { jittered, pause, within } from '../wait.js'
import { Candidate } from './candidate.js'
import { checkTiming, DEFAULT_TIMING, type ElectionTiming, RETRY_JITTER } from './timing.js'

export interface ElectionOptions {
  readonly client: KubeClient
  /** The lease to acquire. */
  readonly lease: LeaseRef
  /** Unique among candidates. Default: the host name and a random suffix. */
  readonly identity?: string
  /** Whether another candidate is known to have ended: then its lease is free at once. Default: unknown. */
  readonly isGone?: (identity: string) => boolean
  /** Default 15 s, 10 s and 2 s. */
  readonly timing?: ElectionTiming
  /** Labels for a new lease. */
  readonly labels?: Record<string, string>
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Default warnings and errors to stderr. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** Default `Math.random`. */
  readonly random?: () => number
}

interface Term {
  /** Aborted when leadership ends, for any reason. */
  readonly leading: AbortController
  /** Cancels the renew deadline. */
  stopDeadline: () => void
  renewing: Promise<void>
}

/**
 * One candidate in a leader election on a Lease, together with others that follow client-go's rules.
 *
 * | state    | event                                                  | next     |
 * |----------|--------------------------------------------------------|----------|
 * | standby  | the lease is free, or has not changed for its duration | leading  |
 * | standby  | the holder of the lease is known to be gone            | leading  |
 * | leading  | no renewal has succeeded for `renewDeadline`           | standby  |
 * | leading  | another holder is seen                                 | standby  |
 * | leading  | `release`                                              | standby, the lease is free |
 *
 * A leader counts from before it sends a renewal, the others from after they see it: with `renewDeadline` shorter
 * than `leaseDuration` the leader has stopped before another starts, as long as no clock runs faster than another by
 * more than their ratio.
 */
export class LeaderElection {
  readonly identity: string
  readonly #candidate: Candidate
  readonly #lease: LeaseRef
  readonly #timing: ElectionTiming
  readonly #clock: Clock
  readonly #log: Logger
  readonly #random: (() => number) | undefined
  #term: Term | undefined
  #isFailing = false

  constructor(options: ElectionOptions) {
    const { client, lease, timing = DEFAULT_TIMING, labels, clock = systemClock, log = stderrLogger } = options
    checkTiming(timing)
    this.identity = options.identity ?? `${hostname()}_${crypto.randomUUID()}`
    if (this.identity === '') throw new RangeError('election: identity must not be empty')
    this.#lease = lease
    this.#timing = timing
    this.#clock = clock
    this.#log = log
    this.#random = options.random
    const { identity } = this
    this.#candidate = new Candidate({
      client,
      lease,
      identity,
      isGone: options.isGone ?? (() => false),
      leaseDuration: timing.leaseDuration,
      labels,
      clock,
      log,
    })
  }

  /** The holder when the lease was last seen; empty if there was none. */
  get leader(): string {
    return this.#candidate.leader
  }

  get isLeader(): boolean {
    return this.#term !== undefined
  }

  /**
   * Resolves when this candidate leads, with a signal that is aborted when it no longer does. Renews until then, or until
   * `release`. Rejects when `signal` is aborted first.
   */
  async whenLeader(signal: AbortSignal): Promise<AbortSignal> {
    if (this.#term !== undefined) throw new Error(`election: ${this.identity} leads already`)
    try {
      for (;;) {
        signal.throwIfAborted()
        const stopDeadline = await this.#try(signal)
        if (stopDeadline !== undefined) return this.#begin(stopDeadline)
        await pause(this.#clock, jittered(this.#timing.retryPeriod, RETRY_JITTER, this.#random), signal)
      }
    } catch (error) {
      this.#candidate.close()
      throw error
    }
  }

  /** Releases the lease, so that others can acquire it at once. Call it when the leader's work has ended. */
  async release(): Promise<void> {
    const term = this.#term
    if (term === undefined) return
    this.#end(term, 'released')
    await term.renewing
    try {
      const never = new AbortController().signal
      await within(this.#clock, this.#timing.renewDeadline, never, (limit) => this.#candidate.release(limit))
    } catch (error) {
      this.#log.warn('Lease not released: others have to wait until it expires', { ...this.#about(), error })
    }
    this.#candidate.close()
  }

  #begin(stopDeadline: () => void): AbortSignal {
    const leading = new AbortController()
    const term: Term = { leading, stopDeadline, renewing: Promise.resolve() }
    this.#term = term
    term.renewing = this.#renew(term)
    this.#log.info('Became leader', this.#about())
    return leading.signal
  }

  async #renew(term: Term): Promise<void> {
    const { signal } = term.leading
    for (;;) {
      await pause(this.#clock, this.#timing.retryPeriod, signal)
      if (signal.aborted) return
      const stopDeadline = await this.#try(signal)
      if (signal.aborted) return stopDeadline?.()
      if (stopDeadline !== undefined) {
        term.stopDeadline()
        term.stopDeadline = stopDeadline
      } else if (this.leader !== this.identity) {
        return this.#end(term, `${JSON.stringify(this.leader)} holds the lease`)
      }
    }
  }

  /**
   * One attempt. If it succeeds, returns a function that cancels its deadline, which counts from before the request:
   * no other candidate can have seen the renewal earlier.
   */
  async #try(signal: AbortSignal): Promise<(() => void) | undefined> {
    const { renewDeadline } = this.#timing
    const stopDeadline = this.#clock.after(renewDeadline, () => {
      if (this.#term !== undefined) this.#end(this.#term, 'not renewed in time')
    })
    try {
      // A request that hangs must leave time for another.
      const isHeld = await within(this.#clock, renewDeadline / 2, signal, (limit) => this.#candidate.hold(limit))
      this.#isFailing = false
      if (isHeld) return stopDeadline
    } catch (error) {
      if (!signal.aborted) this.#failed(error)
    }
    stopDeadline()
    return undefined
  }

  #end(term: Term, why: string): void {
    this.#term = undefined
    term.stopDeadline()
    this.#log.info('Stopped leading', { ...this.#about(), why })
    term.leading.abort(new Error(`${this.identity} no longer leads: ${why}`))
  }

  /** Logs once for each outage. Losing to another candidate is no outage. */
  #failed(error: unknown): void {
    const level = this.#isFailing || isConflict(error) || isAlreadyExists(error) ? 'debug' : 'warn'
    this.#isFailing ||= level === 'warn'
    this.#log[level]('Lease not acquired', { ...this.#about(), error })
  }

  #about() {
    return { kind: 'Lease', ...this.#lease, identity: this.identity }
  }
}
