import type { Clock } from '@orrery/kube/clock'
import type { Identity } from '../identity/identity.js'
import type { Authenticated } from './credentials.js'

interface Entry {
  readonly identity: Identity
  /** Until when it is cached, in elapsed time. */
  readonly trustedUntil: number
  /** Until when the credential is valid, in wall-clock time. */
  readonly expiresAt: number
  readonly dependsOn: readonly string[]
}

/**
 * Caches verified credentials by fingerprint for a short time, so that a request costs a lookup instead of a signature
 * check. Entries can be removed by the objects they depend on: a deleted credential stops working immediately.
 */
export class CredentialCache {
  readonly #entries = new Map<string, Entry>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #lifetime: number
  readonly #capacity: number
  readonly #clock: Clock

  /** `lifetime` in milliseconds. */
  constructor(clock: Clock, lifetime: number, capacity: number) {
    this.#clock = clock
    this.#lifetime = lifetime
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(fingerprint: string): Identity | undefined {
    const entry = this.#entries.get(fingerprint)
    if (entry === undefined) return undefined
    if (this.#clock.elapsed() < entry.trustedUntil && this.#clock.now().getTime() < entry.expiresAt)
      return entry.identity
    this.#drop(fingerprint)
    return undefined
  }

  add(fingerprint: string, proven: Authenticated): void {
    this.#drop(fingerprint)
    const { identity, dependsOn, expiresAt = Number.POSITIVE_INFINITY } = proven
    const trustedUntil = this.#clock.elapsed() + this.#lifetime
    this.#entries.set(fingerprint, { identity, trustedUntil, expiresAt, dependsOn })
    for (const object of dependsOn) {
      const dependents = this.#dependents.get(object)
      if (dependents === undefined) this.#dependents.set(object, new Set([fingerprint]))
      else dependents.add(fingerprint)
    }
    // A map lists its keys in the order of insertion.
    if (this.#entries.size > this.#capacity) this.#drop(this.#entries.keys().next().value!)
  }

  /** Removes every entry that depends on an object. */
  forget(object: string): void {
    for (const fingerprint of this.#dependents.get(object) ?? []) this.#drop(fingerprint)
  }

  #drop(fingerprint: string): void {
    const entry = this.#entries.get(fingerprint)
    if (entry === undefined) return
    this.#entries.delete(fingerprint)
    for (const object of entry.dependsOn) {
      const dependents = this.#dependents.get(object)
      dependents?.delete(fingerprint)
      if (dependents?.size === 0) this.#dependents.delete(object)
    }
  }
}
