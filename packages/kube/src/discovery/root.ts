import { internalError, isForbidden, isNotFound, type StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { readJson } from '../client/reply.js'
import { type AggregatedDocument, DISCOVERY_ACCEPT, readAggregated } from './aggregated.js'
import { type GroupsDocument, readGroups, readVersions, type VersionsDocument } from './classic.js'
import type { ApiGroup } from './types.js'
import type { Wire } from './wire.js'

type Document = Wire<AggregatedDocument> | Wire<VersionsDocument> | Wire<GroupsDocument>

/** One of the two roots of an API, `/api` and `/apis`, with its cached groups. */
export class DiscoveryRoot {
  readonly #client: KubeClient
  readonly #path: string
  #etag: string | undefined
  #groups: readonly ApiGroup[] = []

  constructor(client: KubeClient, path: '/api' | '/apis') {
    this.#client = client
    this.#path = path
  }

  /** The current groups: the same array while nothing changes. */
  async load(): Promise<readonly ApiGroup[]> {
    const headers: Record<string, string> = { accept: DISCOVERY_ACCEPT }
    if (this.#etag !== undefined) headers['if-none-match'] = this.#etag
    const response = await this.#client.raw({ method: 'GET', path: this.#path, headers })
    if (response.status === 304) {
      await response.bytes()
      return this.#groups
    }
    this.#etag = undefined
    const document = await readJson<Document>(response)
    try {
      this.#groups = await this.#groupsOf(document)
    } catch (error) {
      // Reading anything but the document ends in a TypeError.
      throw error instanceof TypeError ? this.#nonsense() : error
    }
    // The entity tag of a classic document does not cover the documents below it.
    const isWhole = document.kind === 'APIGroupDiscoveryList'
    this.#etag = isWhole && typeof response.headers.etag === 'string' ? response.headers.etag : undefined
    return this.#groups
  }

  async #groupsOf(document: Document): Promise<readonly ApiGroup[]> {
    switch (document.kind) {
      case 'APIGroupDiscoveryList':
        return readAggregated(document)
      case 'APIVersions':
        return readVersions(this.#client, document)
      case 'APIGroupList':
        return readGroups(this.#client, document)
      default:
        throw this.#nonsense()
    }
  }

  #nonsense(): StatusError {
    return internalError(`${this.#path} is not a discovery document`)
  }
}

/** All groups, the core group first. A server may lack one root or forbid it. */
export async function loadGroups(roots: readonly DiscoveryRoot[]): Promise<(readonly ApiGroup[])[]> {
  const settled = await Promise.allSettled(roots.map((root) => root.load()))
  const failures = settled.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown)
  const serious = failures.find((error) => !isNotFound(error) && !isForbidden(error))
  if (serious !== undefined) throw serious
  if (failures.length === roots.length) throw failures[0]
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : NO_GROUPS))
}

const NO_GROUPS: readonly ApiGroup[] = []
