import type { ManifestWork } from '@orrery/api'
import type { StoredWorks } from './stored-works.js'
import { checkConsumer } from './validation.js'
import { selectorOf, type WorkCallOptions } from './works.js'

/** A work, and the source that it belongs to. */
export interface SourceWork {
  /** Undefined if the server does not report it. */
  readonly source: string | undefined
  readonly work: ManifestWork
}

export interface SourceWorkListOptions extends WorkCallOptions {
  /** Default: all consumers. */
  readonly consumer?: string
  readonly labelSelector?: string
}

/** The works of all sources. They can be read only: each belongs to a client with the name of its source. */
export class EverySource {
  readonly #stored: StoredWorks
  readonly #source: string

  /** @param source The source of the client. */
  constructor(stored: StoredWorks, source: string) {
    this.#stored = stored
    this.#source = source
  }

  /** Lists works in the order of their IDs. Maestro in Go does not support this request. */
  async list({ consumer, labelSelector, signal }: SourceWorkListOptions = {}): Promise<SourceWork[]> {
    if (consumer !== undefined) checkConsumer(consumer)
    const works: SourceWork[] = []
    for await (const { source, work } of this.#stored.all({ consumer, selector: selectorOf(labelSelector), signal })) {
      works.push({ source, work })
    }
    return works
  }

  /** How many works belong to other sources than that of this client. */
  async countOthers({ consumer, signal }: Omit<SourceWorkListOptions, 'labelSelector'> = {}): Promise<number> {
    if (consumer !== undefined) checkConsumer(consumer)
    return this.#stored.countExcept(this.#source, consumer, signal)
  }
}
