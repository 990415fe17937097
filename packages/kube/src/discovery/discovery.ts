import { badRequest, parseGroupVersion } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { CallOptions } from '../client/options.js'
import { type Clock, systemClock } from '../clock.js'
import { unlessAborted } from '../signals.js'
import { Catalog } from './catalog.js'
import { missingArgument, missingKind, missingPlural } from './missing.js'
import { DiscoveryRoot, loadGroups } from './root.js'
import type { ApiGroup, ApiResource, KindName, PluralName } from './types.js'
import { type ServerVersion, serverVersion } from './version.js'

export interface DiscoveryOptions {
  /** How long what the server said is believed. What is not found is looked for anew at once. Default 10 minutes. */
  readonly ttlMilliseconds?: number
  /** Default: the time of the system. */
  readonly clock?: Clock
}

const TEN_MINUTES = 600_000

/**
 * What the API of a server has to offer. Read when first needed, kept for some time, and read again when something is
 * not found, as its definition may just have been made. Failures of lookups are `NoMatchError`s.
 */
export class Discovery {
  readonly #client: KubeClient
  readonly #roots: readonly DiscoveryRoot[]
  readonly #ttl: number
  readonly #clock: Clock
  #parts: readonly (readonly ApiGroup[])[] = []
  #catalog: Catalog | undefined
  #freshUntil = 0
  /** Counts invalidations: what was asked for before one is not fresh after it. */
  #age = 0
  #loading: { readonly age: number; readonly catalog: Promise<Catalog> } | undefined
  #next: Promise<Catalog> | undefined

  constructor(client: KubeClient, { ttlMilliseconds = TEN_MINUTES, clock = systemClock }: DiscoveryOptions = {}) {
    this.#client = client
    this.#roots = [new DiscoveryRoot(client, '/api'), new DiscoveryRoot(client, '/apis')]
    this.#ttl = ttlMilliseconds
    this.#clock = clock
  }

  /** Everything there is. */
  async catalog({ signal }: CallOptions = {}): Promise<Catalog> {
    if (this.#catalog !== undefined && this.#clock.elapsed() < this.#freshUntil) return this.#catalog
    return unlessAborted(this.#loading?.age === this.#age ? this.#loading.catalog : this.#begin(), signal)
  }

  /** Everything there is, as the server says it from now on. Costs little when nothing changed. */
  async refresh({ signal }: CallOptions = {}): Promise<Catalog> {
    return unlessAborted(this.#begin(), signal)
  }

  /** Makes the next lookup ask the server. */
  invalidate(): void {
    this.#age++
    this.#freshUntil = 0
  }

  /** What the server itself is. */
  version(options: CallOptions = {}): Promise<ServerVersion> {
    return serverVersion(this.#client, options)
  }

  /** The resource of a kind: at the given version, or at the one that the server prefers. */
  kind(name: KindName, options: CallOptions = {}): Promise<ApiResource> {
    return this.#find(
      (catalog) => catalog.kind(name),
      (catalog) => missingKind(catalog, name),
      options,
    )
  }

  /** The resource of a name as paths have it: at the given version, or at the one that the server prefers. */
  resource(name: PluralName, options: CallOptions = {}): Promise<ApiResource> {
    return this.#find(
      (catalog) => catalog.resource(name),
      (catalog) => missingPlural(catalog, name),
      options,
    )
  }

  /** The resource of an object, from its `apiVersion` and `kind`. */
  async kindOf(object: { apiVersion: string; kind: string }, options: CallOptions = {}): Promise<ApiResource> {
    const at = parseGroupVersion(object.apiVersion)
    if (at === undefined) throw badRequest(`not an apiVersion: ${JSON.stringify(object.apiVersion)}`)
    return this.kind({ ...at, kind: object.kind }, options)
  }

  /** The resource that somebody names as they would for kubectl: `po`, `pod`, `Pod`, `deployments.v1.apps`. */
  resolve(text: string, options: CallOptions = {}): Promise<ApiResource> {
    return this.#find(
      (catalog) => catalog.match(text),
      (catalog) => missingArgument(catalog, text),
      options,
    )
  }

  /** The resources of a list with commas, such as `pods,svc` or `all`: categories stand for what is in them. */
  async resolveAll(text: string, options: CallOptions = {}): Promise<ApiResource[]> {
    const found = new Set<ApiResource>()
    for (const word of text.split(',')) {
      const members = await this.#find(
        (catalog) => catalog.matchAll(word),
        (catalog) => missingArgument(catalog, word),
        options,
      )
      for (const member of members) found.add(member)
    }
    return [...found]
  }

  async #find<T>(
    look: (catalog: Catalog) => T | undefined,
    missing: (catalog: Catalog) => Error,
    options: CallOptions,
  ): Promise<T> {
    const known = await this.catalog(options)
    const found = look(known)
    if (found !== undefined) return found
    const latest = await this.refresh(options)
    const appeared = latest === known ? undefined : look(latest)
    if (appeared === undefined) throw missing(latest)
    return appeared
  }

  /** Asks the server from now on: whoever waits for an earlier answer keeps waiting for that, and all others share this. */
  #begin(): Promise<Catalog> {
    if (this.#next !== undefined) return this.#next
    if (this.#loading === undefined) return this.#load()
    const again = () => {
      this.#next = undefined
      return this.#load()
    }
    this.#next = this.#loading.catalog.then(again, again)
    return this.#next
  }

  #load(): Promise<Catalog> {
    const age = this.#age
    const catalog = this.#read(age).finally(() => {
      this.#loading = undefined
    })
    this.#loading = { age, catalog }
    return catalog
  }

  async #read(age: number): Promise<Catalog> {
    const parts = await loadGroups(this.#roots)
    if (this.#catalog === undefined || parts.some((part, index) => part !== this.#parts[index])) {
      this.#parts = parts
      this.#catalog = new Catalog(parts.flat())
    }
    if (age === this.#age) this.#freshUntil = this.#clock.elapsed() + this.#ttl
    return this.#catalog
  }
}
