import type { Identity } from '../identity.js'
import type { Authenticated } from './credentials.js'

interface Entry {
  readonly identity: Identity
  readonly expiresAt: number
  readonly dependsOn: readonly string[]
}

/**
 * Remembers proven credentials by fingerprint for a short while, so that a request costs a look-up and not a signature
 * check. What an entry depends on can be forgotten by name: a deleted credential stops working at once.
 */
export class CredentialCache {
  readonly #entries = new Map<string, Entry>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #lifetime: number
  readonly #capacity: number

  /** `lifetime` in milliseconds. */
  constructor(lifetime: number, capacity: number) {
    this.#lifetime = lifetime
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(fingerprint: string, now: number): Identity | undefined {
    const entry = this.#entries.get(fingerprint)
    if (entry === undefined) return undefined
    if (now < entry.expiresAt) return entry.identity
    this.#drop(fingerprint)
    return undefined
  }

  add(fingerprint: string, proven: Authenticated, now: number): void {
    this.#drop(fingerprint)
    const expiresAt = Math.min(now + this.#lifetime, proven.expiresAt ?? Number.POSITIVE_INFINITY)
    this.#entries.set(fingerprint, { identity: proven.identity, expiresAt, dependsOn: proven.dependsOn })
    for (const object of proven.dependsOn) {
      const dependents = this.#dependents.get(object)
      if (dependents === undefined) this.#dependents.set(object, new Set([fingerprint]))
      else dependents.add(fingerprint)
    }
    // A map lists its keys in the order they were added.
    if (this.#entries.size > this.#capacity) this.#drop(this.#entries.keys().next().value!)
  }

  /** Drops every entry that depends on an object. */
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
