import { isObject, notFound } from '@orrery/kinds/values'
import { CONSUMERS } from './failures.js'
import type { RestApi } from './rest-api.js'
import { checkConsumer } from './validation.js'

/** A target cluster. Its name is the namespace of its works. */
export interface Consumer {
  readonly id: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly createdAt: string
  readonly updatedAt: string
}

export interface NewConsumer {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
}

export interface ConsumerOptions {
  readonly signal?: AbortSignal
}

export interface ConsumerDeleteOptions extends ConsumerOptions {
  /**
   * Also deletes the works of the consumer on the server, of all sources, without waiting for its agent. For clusters that are
   * gone. Maestro's own server ignores it. Default false.
   */
  readonly force?: boolean
}

const PATH = '/consumers'
const PAGE_SIZE = 500

/** The consumers of the server. They do not belong to a source. */
export class Consumers {
  readonly #api: RestApi

  constructor(api: RestApi) {
    this.#api = api
  }

  /** Throws NotFound if there is no consumer with this name. */
  async get(name: string, { signal }: ConsumerOptions = {}): Promise<Consumer> {
    checkConsumer(name)
    const search = new URLSearchParams({ search: `name='${name}'`, size: '1' })
    const [found] = await this.#page(search, name, signal)
    if (found === undefined) throw notFound(CONSUMERS, name)
    return found
  }

  /** All consumers, by ID. */
  async list({ signal }: ConsumerOptions = {}): Promise<Consumer[]> {
    const items: Consumer[] = []
    for (let last: string | undefined; ; last = items.at(-1)?.id) {
      const query = new URLSearchParams({ size: String(PAGE_SIZE), orderBy: 'id asc' })
      if (last !== undefined) query.set('search', `id>'${last}'`)
      const page = await this.#page(query, '', signal)
      items.push(...page)
      if (page.length < PAGE_SIZE) return items
    }
  }

  async create({ name, labels }: NewConsumer, { signal }: ConsumerOptions = {}): Promise<Consumer> {
    checkConsumer(name)
    const body = { name, ...(labels !== undefined && { labels }) }
    return consumerOf(await this.#api.send({ method: 'POST', path: PATH, body, on: CONSUMERS, name, signal }))
  }

  /** Replaces all labels. */
  async setLabels(
    name: string,
    labels: Readonly<Record<string, string>>,
    options: ConsumerOptions = {},
  ): Promise<Consumer> {
    const { id } = await this.get(name, options)
    const path = `${PATH}/${encodeURIComponent(id)}`
    return consumerOf(
      await this.#api.send({ method: 'PATCH', path, body: { labels }, on: CONSUMERS, name, ...options }),
    )
  }

  /** Throws NotFound if there is no consumer with this name, and Forbidden while it has works. */
  async delete(name: string, { force = false, ...options }: ConsumerDeleteOptions = {}): Promise<void> {
    const { id } = await this.get(name, options)
    await this.#api.send({
      method: 'DELETE',
      path: `${PATH}/${encodeURIComponent(id)}${force ? '?force=true' : ''}`,
      on: CONSUMERS,
      name,
      ...options,
    })
  }

  async #page(query: URLSearchParams, name: string, signal: AbortSignal | undefined): Promise<Consumer[]> {
    const list = await this.#api.send({ method: 'GET', path: `${PATH}?${query}`, on: CONSUMERS, name, signal })
    return Array.isArray(list?.items) ? list.items.map(consumerOf) : []
  }
}

function consumerOf(value: unknown): Consumer {
  const { id, name, labels, created_at, updated_at } = isObject(value) ? value : {}
  return {
    id: String(id),
    name: String(name ?? id),
    labels: (isObject(labels) ? labels : {}) as Record<string, string>,
    createdAt: String(created_at ?? ''),
    updatedAt: String(updated_at ?? ''),
  }
}
