import { everyLabels, isNotFound, type LabelSelector } from '@orrery/kinds/values'
import { type StoredWork, workOfBundle } from './bundle.js'
import { WORKS } from './failures.js'
import type { RestApi } from './rest-api.js'
import { searchText } from './search.js'

export interface PageRequest {
  /** Undefined for all consumers. */
  readonly consumer: string | undefined
  readonly selector: LabelSelector
  /** Starts after the work with this ID. */
  readonly after?: string | undefined
  readonly size: number
  readonly signal?: AbortSignal | undefined
}

export interface Page {
  /** The selected works, by ID. */
  readonly items: StoredWork[]
  /** The ID to continue after. Undefined on the last page. */
  readonly next: string | undefined
}

const PATH = '/resource-bundles'
/** One page has up to 200 MB, if each work has the maximum size. */
const PAGE_SIZE = 400

/** The members of a bundle that make a work, and its source, which servers send only on request. */
const FIELDS_WITH_SOURCE =
  'id,name,consumer_name,version,metadata,manifests,delete_option,manifest_configs,status,source'

/** The works of a source, or of all sources, as the server stores them. */
export class StoredWorks {
  readonly #api: RestApi
  readonly #source: string | undefined

  /** @param source Undefined for the works of all sources. */
  constructor(api: RestApi, source: string | undefined) {
    this.#api = api
    this.#source = source
  }

  /** @param name The name of the work, for errors. */
  async get(id: string, name: string, signal?: AbortSignal): Promise<StoredWork> {
    const bundle = await this.#api.send({ method: 'GET', path: `${PATH}/${id}`, on: WORKS, name, signal })
    return workOfBundle(bundle ?? {})
  }

  /** Undefined if there is no such work. */
  async find(id: string, name: string, signal?: AbortSignal): Promise<StoredWork | undefined> {
    try {
      return await this.get(id, name, signal)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /**
   * One page, in the order of IDs. A page starts after an ID and not at a number, so that a work that exists all the time is
   * in exactly one page, whatever is created or deleted meanwhile.
   */
  async page({ consumer, selector, after, size, signal }: PageRequest): Promise<Page> {
    const search = searchText({ source: this.#source, consumer, selector, after })
    const query = new URLSearchParams({ size: String(size), orderBy: 'id asc' })
    if (search !== '') query.set('search', search)
    if (this.#source === undefined) query.set('fields', FIELDS_WITH_SOURCE)
    const list = await this.#api.send({ method: 'GET', path: `${PATH}?${query}`, on: WORKS, name: '', signal })
    const bundles = Array.isArray(list?.items) ? list.items.map(workOfBundle) : []
    const items =
      selector === everyLabels ? bundles : bundles.filter(({ work }) => selector.matches(work.metadata.labels))
    return { items, next: bundles.length < size ? undefined : bundles.at(-1)?.id }
  }

  /** How many works have another source. */
  async countExcept(source: string, consumer: string | undefined, signal?: AbortSignal): Promise<number> {
    const search = [`source!='${source}'`, ...(consumer === undefined ? [] : [`consumer_name='${consumer}'`])].join(
      ' and ',
    )
    const query = new URLSearchParams({ size: '1', search })
    const list = await this.#api.send({ method: 'GET', path: `${PATH}?${query}`, on: WORKS, name: '', signal })
    return Number(list?.total ?? 0)
  }

  /** All selected works, page by page. */
  async *all(request: Omit<PageRequest, 'size' | 'after'>): AsyncGenerator<StoredWork> {
    let after: string | undefined
    do {
      const { items, next } = await this.page({ ...request, after, size: PAGE_SIZE })
      yield* items
      after = next
    } while (after !== undefined)
  }
}
