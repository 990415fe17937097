import type { ManifestWork, NewManifestWork } from '@orrery/api'
import {
  badRequest,
  conflict,
  everyLabels,
  fieldInvalid,
  fieldRequired,
  invalid,
  isAlreadyExists,
  isConflict,
  jsonEqual,
  type LabelSelector,
  ParseError,
  parseLabelSelector,
} from '@orrery/kinds/values'
import { bundleId } from '../codec/ids.js'
import type { StoredWork } from './bundle.js'
import { WORKS } from './failures.js'
import { patchedWork, type WorkPatch, type WorkPatchType } from './patching.js'
import type { WorkPublisher } from './publisher.js'
import type { StoredWorks } from './stored-works.js'
import { checkWork } from './validation.js'
import type { WorkEvent, WorkFeed } from './watch/feed.js'

export interface WorkCallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal
}

export interface WorkListOptions extends WorkCallOptions {
  readonly labelSelector?: string
  /** The page size. Default: everything. */
  readonly limit?: number
  /** The `continue` of the page before. */
  readonly continue?: string
}

export interface WorkList {
  readonly items: ManifestWork[]
  /** The token for the next page; absent on the last one. */
  readonly continue?: string
}

export interface WorkWatchOptions extends WorkCallOptions {
  readonly labelSelector?: string
  /** Called each time the server cannot be reached, with the reason. The watch retries by itself. */
  readonly onDisconnected?: (error: unknown) => void
  /** Called each time the watch, which is connected, has read all works: at the start, after a lost connection, and at times. */
  readonly onListed?: () => void
}

export interface ConsumerWatchOptions extends WorkWatchOptions {
  /** Watches only the work of this name. It need not exist. */
  readonly name?: string
}

export interface WorkPatchOptions extends WorkCallOptions {
  /** Default `merge`. */
  readonly type?: WorkPatchType
}

/** What the operations need of the client. */
export interface WorkTools {
  readonly source: string
  readonly stored: StoredWorks
  readonly publisher: WorkPublisher
  readonly feed: WorkFeed
}

const KIND = { group: WORKS.group, kind: 'ManifestWork' }
/** How often a patch is applied to a newer version, as kube-apiserver does. */
const PATCH_ATTEMPTS = 5
const MAX_PAGE = 400

/** The works of a source on all consumers. */
export class AllManifestWorks {
  protected readonly tools: WorkTools
  protected readonly consumer: string | undefined

  constructor(tools: WorkTools, consumer?: string) {
    this.tools = tools
    this.consumer = consumer
  }

  /** Lists works in the order of their IDs. */
  async list(options: WorkListOptions = {}): Promise<WorkList> {
    const { limit, signal } = options
    if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
      throw badRequest(`limit ${limit} is not valid: use 1 or more`)
    }
    const selector = selectorOf(options.labelSelector)
    const items: ManifestWork[] = []
    let after: string | undefined = checkedContinue(options.continue)
    do {
      const size = Math.min(MAX_PAGE, (limit ?? MAX_PAGE + items.length) - items.length)
      const page = await this.tools.stored.page({ consumer: this.consumer, selector, after, size, signal })
      for (const { work } of page.items) items.push(work)
      after = page.next
    } while (after !== undefined && (limit === undefined || items.length < limit))
    return { items, ...(after !== undefined && { continue: after }) }
  }

  /**
   * Watches works: ADDED for each that exists or is created, MODIFIED for each change, DELETED when one is gone or is no longer
   * selected. Reconnects by itself, and then reports what changed meanwhile. A slow reader gets only the newest state of each
   * work. Ends with the signal; throws if the server rejects the credentials.
   */
  watch(options: WorkWatchOptions = {}): AsyncIterableIterator<WorkEvent> {
    const { labelSelector, signal, onDisconnected, onListed } = options
    const selector = selectorOf(labelSelector)
    return this.tools.feed.watch({ consumer: this.consumer, selector, signal, onDisconnected, onListed })
  }
}

/** The works of a source on one consumer. */
export class ManifestWorks extends AllManifestWorks {
  readonly #consumer: string

  constructor(tools: WorkTools, consumer: string) {
    super(tools, consumer)
    this.#consumer = consumer
  }

  /** As on all consumers. A watch of one name reads no other work. */
  override watch(options: ConsumerWatchOptions = {}): AsyncIterableIterator<WorkEvent> {
    const { name, labelSelector, signal, onDisconnected, onListed } = options
    const id = name === undefined ? undefined : this.#id(name)
    const selector = selectorOf(labelSelector)
    return this.tools.feed.watch({ consumer: this.#consumer, id, selector, signal, onDisconnected, onListed })
  }

  /** Throws NotFound if there is no such work. */
  async get(name: string, { signal }: WorkCallOptions = {}): Promise<ManifestWork> {
    return (await this.#stored(name, signal)).work
  }

  /** Throws AlreadyExists, Invalid, and NotFound if the consumer is not registered. */
  async create(work: NewManifestWork, { signal }: WorkCallOptions = {}): Promise<ManifestWork> {
    checkWork(work, this.#consumer)
    const { name = '' } = work.metadata
    const id = this.#id(name)
    await this.tools.publisher.publish(
      { action: 'create_request', id, consumer: this.#consumer, version: 0, work },
      {
        signal,
        // The acknowledgement of an earlier attempt may have been lost.
        isDone: async (error) => isAlreadyExists(error) && this.#hasSpec(id, name, 1, work, signal),
      },
    )
    return this.#readBack(name, signal)
  }

  /** Replaces labels, annotations and spec. Throws Conflict unless `metadata.resourceVersion` is the latest version. */
  async update(work: NewManifestWork, { signal }: WorkCallOptions = {}): Promise<ManifestWork> {
    checkWork(work, this.#consumer)
    const { name = '', resourceVersion } = work.metadata
    if (resourceVersion === undefined || resourceVersion === '') {
      const field = 'metadata.resourceVersion'
      throw invalid(KIND, name, [fieldRequired(field, 'must be specified for an update: get the work and change it')])
    }
    return this.#replace(name, versionOf(name, resourceVersion), work, signal)
  }

  /**
   * Applies a patch to the latest version. A patch with `metadata.resourceVersion` throws Conflict unless this is the latest
   * version; any other is applied again if the work has changed meanwhile.
   */
  async patch(name: string, patch: WorkPatch, options: WorkPatchOptions = {}): Promise<ManifestWork> {
    const { type = 'merge', signal } = options
    for (let attempt = 1; ; attempt++) {
      const current = await this.#stored(name, signal)
      const patched = await patchedWork(current.work, patch, type)
      const { resourceVersion = String(current.version) } = patched.metadata
      if (patched.metadata.name !== name) {
        throw invalid(KIND, name, [fieldInvalid('metadata.name', patched.metadata.name, 'field is immutable')])
      }
      const version = versionOf(name, resourceVersion)
      if (version !== current.version) throw conflict(WORKS, name, `version ${version} is not the latest`)
      if (jsonEqual(patched, current.work)) return current.work
      checkWork(patched, this.#consumer, current.work)
      try {
        return await this.#replace(name, version, patched, signal)
      } catch (error) {
        const isPinned = hasVersion(patch)
        const isDeleting = current.work.metadata.deletionTimestamp !== undefined
        if (!isConflict(error) || isPinned || isDeleting || attempt === PATCH_ATTEMPTS) throw error
      }
    }
  }

  /** The work exists until the agent has deleted its objects. Throws NotFound if there is no such work. */
  async delete(name: string, { signal }: WorkCallOptions = {}): Promise<void> {
    const { id, version, work } = await this.#stored(name, signal)
    const deletionTimestamp = work.metadata.deletionTimestamp ?? new Date().toISOString().replace(/\.\d+/, '')
    const deleted = { ...work, metadata: { ...work.metadata, deletionTimestamp } }
    await this.tools.publisher.publish(
      { action: 'delete_request', id, consumer: this.#consumer, version, work: deleted },
      { signal },
    )
    await this.tools.feed.changed(id, this.#consumer)
  }

  async #replace(name: string, version: number, work: NewManifestWork, signal?: AbortSignal): Promise<ManifestWork> {
    const id = this.#id(name)
    await this.tools.publisher.publish(
      { action: 'update_request', id, consumer: this.#consumer, version, work },
      {
        signal,
        isDone: async (error) => isConflict(error) && this.#hasSpec(id, name, version + 1, work, signal),
      },
    )
    return this.#readBack(name, signal)
  }

  /** Whether the server has exactly this version: an earlier attempt has succeeded. */
  async #hasSpec(
    id: string,
    name: string,
    version: number,
    { spec, metadata }: NewManifestWork,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const found = await this.tools.stored.find(id, name, signal)
    return (
      found?.version === version &&
      jsonEqual(found.work.spec?.workload, spec?.workload) &&
      jsonEqual(found.work.metadata.labels ?? {}, metadata.labels ?? {})
    )
  }

  async #readBack(name: string, signal: AbortSignal | undefined): Promise<ManifestWork> {
    const stored = await this.#stored(name, signal)
    this.tools.feed.written(stored)
    return stored.work
  }

  #stored(name: string, signal: AbortSignal | undefined): Promise<StoredWork> {
    return this.tools.stored.get(this.#id(name), name, signal)
  }

  #id(name: string): string {
    return bundleId(this.tools.source, this.#consumer, name)
  }
}

export function selectorOf(text: string | undefined): LabelSelector {
  if (text === undefined) return everyLabels
  try {
    return parseLabelSelector(text)
  } catch (error) {
    if (error instanceof ParseError) throw badRequest(`labelSelector is not valid: ${error.message}`)
    throw error
  }
}

function checkedContinue(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined
  if (/^[\w-]+$/.test(token)) return token
  throw badRequest('continue is not valid: use the value of an earlier page')
}

function versionOf(name: string, resourceVersion: string): number {
  const version = /^\d{1,10}$/.test(resourceVersion) ? Number(resourceVersion) : 0
  if (version > 0) return version
  throw invalid(KIND, name, [
    fieldInvalid('metadata.resourceVersion', resourceVersion, 'must be a version of the work'),
  ])
}

function hasVersion(patch: WorkPatch): boolean {
  return JSON.stringify(patch).includes('resourceVersion')
}
