import type { JsonObject } from '@orrery/kinds'
import { stringify as stringifyYaml } from 'yaml'
import type { Resource } from '../kinds/resource.js'
import { type AggregatedVersion, groupDiscoveryList } from './aggregated.js'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './classic.js'
import { etagOf } from './etag.js'
import { type ApiGroup, groupResources } from './groups.js'
import { contentTypeOf, discoveryForm } from './negotiation.js'

export interface DiscoveryDocument {
  readonly body: Buffer
  readonly contentType: string
  /** Only aggregated documents are conditional; they are also sent with `Cache-Control: public` and `Vary: Accept`. */
  readonly etag: string | undefined
}

export interface DiscoveryOptions {
  /** The `host:port` at which clients in the network reach the server. */
  readonly serverAddress: () => string
}

/** The discovery documents. Each is created on first use and kept until the resources change. */
export class Discovery {
  readonly #serverAddress: () => string
  readonly #documents = new Map<string, DiscoveryDocument>()
  #core: ApiGroup | undefined
  #groups: readonly ApiGroup[] = []

  constructor({ serverAddress }: DiscoveryOptions) {
    this.#serverAddress = serverAddress
  }

  /** Replaces the served resources. */
  update(resources: Iterable<Resource>): void {
    const groups = groupResources(resources)
    this.#core = groups.find(({ name }) => name === '')
    this.#groups = groups.filter(({ name }) => name !== '')
    this.#documents.clear()
  }

  /**
   * Returns the document at a path such as `/apis/apps/v1`; undefined if there is none. Throws a 406 if no form is
   * accepted.
   */
  get(path: string, accept: string | undefined): DiscoveryDocument | undefined {
    const segments = path.split('/').filter((segment) => segment !== '')
    const form = discoveryForm(accept)
    const single = form === 'yaml' ? 'yaml' : 'classic'
    const aggregated = segments.length === 1 && form !== 'classic' && form !== 'yaml'
    const key = `${aggregated ? form : single} ${segments.join('/')}`
    let document = this.#documents.get(key)
    if (document === undefined) {
      document = aggregated ? this.#writeAggregated(segments, form) : this.#writeSingle(segments, single)
      if (document !== undefined) this.#documents.set(key, document)
    }
    return document
  }

  #writeAggregated([root]: readonly string[], version: AggregatedVersion): DiscoveryDocument | undefined {
    if (root !== 'api' && root !== 'apis') return undefined
    const groups = root === 'apis' ? this.#groups : this.#core === undefined ? [] : [this.#core]
    const body = Buffer.from(JSON.stringify(groupDiscoveryList(groups, version)))
    return { body, contentType: contentTypeOf(version), etag: etagOf(body) }
  }

  #writeSingle(segments: readonly string[], form: 'classic' | 'yaml'): DiscoveryDocument | undefined {
    const json = this.#classicJson(segments)
    if (json === undefined) return undefined
    const text = form === 'yaml' ? stringifyYaml(json) : JSON.stringify(json)
    return { body: Buffer.from(text), contentType: contentTypeOf(form), etag: undefined }
  }

  #classicJson([root, ...rest]: readonly string[]): JsonObject | undefined {
    if (root === 'api') {
      if (rest.length === 0) return apiVersions(this.#core, this.#serverAddress())
      return rest.length === 1 ? resourcesAt(this.#core, rest[0]) : undefined
    }
    if (root !== 'apis' || rest.length > 2) return undefined
    if (rest.length === 0) return apiGroupList(this.#groups)
    const group = this.#groups.find(({ name }) => name === rest[0])
    if (rest.length === 1) return group && apiGroup(group)
    return resourcesAt(group, rest[1])
  }
}

function resourcesAt(group: ApiGroup | undefined, version: string | undefined): JsonObject | undefined {
  const found = group?.versions.find((candidate) => candidate.version === version)
  return group && found && apiResourceList(group.name, found)
}
