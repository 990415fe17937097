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
  /** How long the result is cached. Something that is not found is read again at once. Default 10 minutes. */
  readonly ttlMilliseconds?: number
  /** Default: the system clock. */
  readonly clock?: Clock
}

const TEN_MINUTES = 600_000

/**
 * The discovery of a server's API. It is read when first needed, cached for some time, and read again when something
 * is not found, since its CRD may just have been created. Failed lookups throw `NoMatchError`s.
 */
export class Discovery {
  readonly #client: KubeClient
  readonly #roots: readonly DiscoveryRoot[]
  readonly #ttl: number
  readonly #clock: Clock
  #parts: readonly (readonly ApiGroup[])[] = []
  #catalog: Catalog | undefined
  #freshUntil = 0
  /** Counts invalidations: a request from before one is not fresh after it. */
  #age = 0
  #loading: { readonly age: number; readonly catalog: Promise<Catalog> } | undefined
  #next: Promise<Catalog> | undefined

  constructor(client: KubeClient, { ttlMilliseconds = TEN_MINUTES, clock = systemClock }: DiscoveryOptions = {}) {
    this.#client = client
    this.#roots = [new DiscoveryRoot(client, '/api'), new DiscoveryRoot(client, '/apis')]
    this.#ttl = ttlMilliseconds
    this.#clock = clock
  }

  /** All resources. */
  async catalog({ signal }: CallOptions = {}): Promise<Catalog> {
    if (this.#catalog !== undefined && this.#clock.elapsed() < this.#freshUntil) return this.#catalog
    return unlessAborted(this.#loading?.age === this.#age ? this.#loading.catalog : this.#begin(), signal)
  }

  /** All resources, read again. Cheap if nothing changed. */
  async refresh({ signal }: CallOptions = {}): Promise<Catalog> {
    return unlessAborted(this.#begin(), signal)
  }

  /** Makes the next lookup read again. */
  invalidate(): void {
    this.#age++
    this.#freshUntil = 0
  }

  /** The version of the server. */
  version(options: CallOptions = {}): Promise<ServerVersion> {
    return serverVersion(this.#client, options)
  }

  /** The resource of a kind: at the given version, or at the preferred one. */
  kind(name: KindName, options: CallOptions = {}): Promise<ApiResource> {
    return this.#find(
      (catalog) => catalog.kind(name),
      (catalog) => missingKind(catalog, name),
      options,
    )
  }

  /** The resource with a plural name: at the given version, or at the preferred one. */
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

  /** The resource that a user names as for kubectl: `po`, `pod`, `Pod`, `deployments.v1.apps`. */
  resolve(text: string, options: CallOptions = {}): Promise<ApiResource> {
    return this.#find(
      (catalog) => catalog.match(text),
      (catalog) => missingArgument(catalog, text),
      options,
    )
  }

  /** The resources of a comma-separated list, such as `pods,svc` or `all`; categories are expanded. */
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

  /** Starts a new read: earlier callers keep waiting for theirs, and all later ones share this. */
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
