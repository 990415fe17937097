import type { ApiObject, Draft, Kind, Mutable, ObjectRef } from '@orrery/kinds'
import { formatGroupVersion, isNotFound, PATCH_TYPES, type Status } from '@orrery/kinds/values'
import { sharedByMany } from '../signals.js'
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  PatchOptions,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './options.js'
import { collectionPath, creationPath, objectPath, queryString } from './paths.js'
import { readList } from './read-list.js'
import { failureOf, readJson } from './reply.js'
import type { HttpRequest, HttpResponse, Transport } from './transport.js'
import { watchEvents } from './watch-stream.js'

export interface ClientOptions {
  /**
   * The field manager of writes, unless a request sets another. Default: none is sent, the server derives it from the user
   * agent, and `apply` needs one. Controllers get a client whose field manager is their name.
   */
  readonly fieldManager?: string
  /** Receives the server's warnings, for example about deprecated versions and unknown fields. */
  readonly onWarning?: (text: string) => void
}

const JSON_TYPE = { 'content-type': 'application/json' } as const
const APPLY_TYPE = { 'content-type': PATCH_TYPES.apply } as const

/** Reads and writes the objects of one API server, typed by kind. Every failed request throws a `StatusError`. */
export class KubeClient {
  readonly transport: Transport
  readonly fieldManager: string | undefined
  readonly #onWarning: ((text: string) => void) | undefined

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.transport = transport
    this.fieldManager = options.fieldManager
    this.#onWarning = options.onWarning
  }

  /** The same client with a field manager, unless it has one. */
  withFieldManager(fieldManager: string): KubeClient {
    if (this.fieldManager !== undefined) return this
    const onWarning = this.#onWarning
    return new KubeClient(this.transport, { fieldManager, ...(onWarning !== undefined && { onWarning }) })
  }

  /** The same client with another transport. */
  withTransport(transport: Transport): KubeClient {
    const { fieldManager } = this
    const onWarning = this.#onWarning
    return new KubeClient(transport, {
      ...(fieldManager !== undefined && { fieldManager }),
      ...(onWarning !== undefined && { onWarning }),
    })
  }

  async get<T extends ApiObject>(kind: Kind<T, object>, ref: ObjectRef, options: GetOptions = {}): Promise<T> {
    const query = queryString({ resourceVersion: options.resourceVersion })
    return this.#json<T>('GET', objectPath(kind, ref) + query, options)
  }

  /** The object; undefined if it does not exist. */
  async find<T extends ApiObject>(
    kind: Kind<T, object>,
    ref: ObjectRef,
    options: GetOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get(kind, ref, options)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** One page of objects, or all of them. `pages` iterates over pages. */
  async list<T extends ApiObject>(kind: Kind<T, object>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const query = queryString({
      ...selectors(options),
      limit: options.limit,
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
    })
    const path = collectionPath(kind, options.namespace) + query
    return named(kind, await readList<T>(await this.raw(request('GET', path, options))))
  }

  /** Iterates over pages. All show the list as of the first request. */
  async *pages<T extends ApiObject>(kind: Kind<T, object>, options: ListOptions = {}): AsyncGenerator<ObjectList<T>> {
    let page = await this.list(kind, { limit: 500, ...options })
    yield page
    while (page.continue !== undefined) {
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options
      page = await this.list(kind, { limit: 500, ...rest, continue: page.continue })
      yield page
    }
  }

  create<T extends ApiObject, New extends object>(
    kind: Kind<T, New>,
    object: NoInfer<New>,
    options: WriteOptions = {},
  ): Promise<T> {
    const body = typed(kind, object)
    const { name, namespace } = (body as Draft<ApiObject>).metadata
    const path =
      options.subresource === undefined
        ? creationPath(kind, namespace)
        : objectPath(kind, { name: name ?? '', namespace }, options.subresource)
    return this.#json<T>('POST', path + this.#writeQuery(options), options, JSON_TYPE, body)
  }

  /** Replaces the object. With a `resourceVersion`, it fails if that is not the latest. */
  update<T extends ApiObject, New extends object>(
    kind: Kind<T, New>,
    object: NoInfer<New | T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const body = typed(kind, object)
    const path = objectPath(kind, refIn(body), options.subresource)
    return this.#json<T>('PUT', path + this.#writeQuery(options), options, JSON_TYPE, body)
  }

  patch<T extends ApiObject>(
    kind: Kind<T, object>,
    ref: ObjectRef,
    patch: object,
    options: PatchOptions = {},
  ): Promise<T> {
    const path = objectPath(kind, ref, options.subresource)
    return this.#json<T>(
      'PATCH',
      path + this.#writeQuery(options),
      options,
      { 'content-type': PATCH_TYPES[options.type ?? 'merge'] },
      patch,
    )
  }

  /** Server-side apply: sets the fields of `object`, and owns them. */
  async apply<T extends ApiObject, New extends object>(
    kind: Kind<T, New>,
    object: NoInfer<Partial<New>> & Pick<Draft<ApiObject>, 'metadata'>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const body = typed(kind, object)
    const ref = refIn(body)
    if ((options.fieldManager ?? this.fieldManager) === undefined) {
      throw new TypeError(`apply of ${kind.kind} ${ref.name}: give a fieldManager, in the call or to the client`)
    }
    const path = objectPath(kind, ref, options.subresource)
    const query = this.#writeQuery(options, { force: options.force })
    return this.#json<T>('PATCH', path + query, options, APPLY_TYPE, body)
  }

  /**
   * Resolves with the object while finalizers or a grace period delay its deletion, and with a `Status` when it is
   * gone.
   */
  delete<T extends ApiObject>(kind: Kind<T, object>, ref: ObjectRef, options: DeleteOptions = {}): Promise<T | Status> {
    return this.#json<T | Status>('DELETE', objectPath(kind, ref), options, JSON_TYPE, deleteBody(options))
  }

  /** Deletes the object if it exists. */
  async ensureDeleted<T extends ApiObject>(
    kind: Kind<T, object>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<void> {
    try {
      await this.delete(kind, ref, options)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Deletes all selected objects. */
  async deleteCollection<T extends ApiObject>(
    kind: Kind<T, object>,
    selection: Selection,
    options: DeleteOptions = {},
  ): Promise<void> {
    const path = collectionPath(kind, selection.namespace) + queryString(selectors(selection))
    await this.#json('DELETE', path, options, JSON_TYPE, deleteBody(options))
  }

  /** The events of a watch until the server or the signal ends it. Most programs should use an informer instead. */
  async *watch<T extends ApiObject>(kind: Kind<T, object>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    for await (const events of this.watchBatches(kind, options)) yield* events
  }

  /** A watch that returns the events that arrive together as one batch. */
  async *watchBatches<T extends ApiObject>(
    kind: Kind<T, object>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>[]> {
    const query = queryString({
      watch: true,
      ...selectors(options),
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents,
      timeoutSeconds: options.timeoutSeconds,
    })
    const path = collectionPath(kind, options.namespace) + query
    try {
      const response = await this.raw(request('GET', path, options))
      if (response.status >= 400) throw await failureOf(response)
      yield* watchEvents<T>(response.body)
    } catch (error) {
      // An aborted watch ends without an error.
      if (options.signal?.aborted !== true) throw error
    }
  }

  /** Sends any request, for example to `/healthz`, logs or a proxy. Resolves with any status code. */
  async raw(request: HttpRequest): Promise<HttpResponse> {
    if (request.signal !== undefined) sharedByMany(request.signal)
    const response = await this.transport.request(request)
    const warning = response.headers.warning
    if (warning !== undefined && this.#onWarning !== undefined) this.#warn(warning)
    return response
  }

  /** Reads the JSON at a path. */
  getJson<T>(path: string, options: CallOptions = {}): Promise<T> {
    return this.#json<T>('GET', path, options)
  }

  close(): void {
    this.transport.close?.()
  }

  async #json<T>(
    method: string,
    path: string,
    options: CallOptions,
    headers?: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<T> {
    return readJson<T>(await this.raw(request(method, path, options, headers, body)))
  }

  #writeQuery(options: WriteOptions, more: Readonly<Record<string, boolean | undefined>> = {}): string {
    return queryString({
      fieldManager: options.fieldManager ?? this.fieldManager,
      dryRun: options.dryRun === true ? 'All' : undefined,
      fieldValidation: options.fieldValidation,
      ...more,
    })
  }

  #warn(header: string | readonly string[]): void {
    for (const line of typeof header === 'string' ? [header] : header) {
      for (const [, quoted = ''] of line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
        this.#onWarning?.(quoted.replace(/\\(.)/g, '$1'))
      }
    }
  }
}

/** Items of a list may omit apiVersion and kind, which the list has. */
function named<T extends ApiObject>(kind: Kind<T, object>, list: ObjectList<T>): ObjectList<T> {
  const apiVersion = formatGroupVersion(kind.group, kind.version)
  for (const item of list.items as Mutable<ApiObject>[]) {
    if (item.kind === undefined) {
      item.apiVersion = apiVersion
      item.kind = kind.kind
    }
  }
  return list
}

function typed<T extends ApiObject>(kind: Kind<T, object>, object: object): object {
  const { apiVersion = formatGroupVersion(kind.group, kind.version), kind: name = kind.kind } = object as Draft<T>
  return { apiVersion, kind: name, ...object }
}

function refIn(object: object): ObjectRef {
  const { name = '', namespace } = (object as Draft<ApiObject>).metadata
  return { name, namespace }
}

function selectors({ labelSelector, fieldSelector }: Selection): Record<string, string | undefined> {
  return { labelSelector, fieldSelector }
}

function deleteBody(options: DeleteOptions): object {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(preconditions !== undefined && { preconditions }),
    ...(dryRun === true && { dryRun: ['All'] }),
  }
}

function request(
  method: string,
  path: string,
  { signal }: CallOptions,
  headers?: Readonly<Record<string, string>>,
  body?: object,
): HttpRequest {
  return {
    method,
    path,
    headers: { accept: 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }
}
