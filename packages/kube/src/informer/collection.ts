import type { ApiObject, Kind } from '@orrery/kinds'
import type { KubeClient } from '../client/client.js'
import type { ObjectList, Selection, WatchEvent, WatchOptions } from '../client/options.js'
import { collectionPath, queryString } from '../client/paths.js'
import { readList } from '../client/read-list.js'
import { failureOf } from '../client/reply.js'
import { watchEvents } from '../client/watch-stream.js'

const WHOLE = { list: 'application/json', watch: 'application/json' } as const
/** Servers without support for PartialObjectMetadata send whole objects. */
const METADATA_ONLY = {
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  watch: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
} as const

export interface PageQuery {
  readonly limit?: number
  readonly continue?: string
}

export type WatchQuery = Pick<
  WatchOptions,
  'resourceVersion' | 'resourceVersionMatch' | 'sendInitialEvents' | 'timeoutSeconds'
>

/** The list and watch requests of an informer, for some objects of a kind. */
export class Collection<T extends ApiObject> {
  readonly #client: KubeClient
  readonly #path: string
  readonly #selectors: { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined }
  readonly #accept: typeof WHOLE | typeof METADATA_ONLY

  constructor(client: KubeClient, kind: Kind<T, object>, selection: Selection, metadataOnly: boolean) {
    this.#client = client
    this.#path = collectionPath(kind, selection.namespace)
    this.#selectors = { labelSelector: selection.labelSelector, fieldSelector: selection.fieldSelector }
    this.#accept = metadataOnly ? METADATA_ONLY : WHOLE
  }

  /** The latest state, in one response or page by page. */
  async list(page: PageQuery, signal: AbortSignal): Promise<ObjectList<T>> {
    const path = this.#path + queryString({ ...this.#selectors, ...page })
    const headers = { accept: this.#accept.list }
    return readList<T>(await this.#client.raw({ method: 'GET', path, headers, signal }))
  }

  /** Resolves when the server accepts; events then come in batches as they arrive. */
  async watch(query: WatchQuery, signal: AbortSignal): Promise<AsyncGenerator<WatchEvent<T>[]>> {
    const path = this.#path + queryString({ watch: true, allowWatchBookmarks: true, ...this.#selectors, ...query })
    const headers = { accept: this.#accept.watch }
    const response = await this.#client.raw({ method: 'GET', path, headers, signal })
    if (response.status >= 400) throw await failureOf(response)
    return watchEvents<T>(response.body)
  }
}
