import type { KubeObject } from '@orrery/kinds'
import { noSuchPath, type Status, StatusError } from '@orrery/kinds/values'
import { LocalExchange, type LocalRequest, type LocalResponse } from './http/in-process.js'
import type { Identity } from './identity/identity.js'

/** Kept, because tests put other timers in the place of the global ones. */
const nextTurn = setImmediate

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject
}

/**
 * A client inside the process: every request takes the same walk as one over the network, without the network.
 * Paths are the API's own, such as `/api/v1/namespaces/default/configmaps`.
 */
export class LocalClient {
  readonly #handle: (exchange: LocalExchange) => Promise<void>
  readonly #identity: Identity | undefined

  constructor(handle: (exchange: LocalExchange) => Promise<void>, identity: Identity | undefined) {
    this.#handle = handle
    this.#identity = identity
  }

  /** Sends any request. Resolves when the reply starts, whatever its status. */
  async request(request: LocalRequest): Promise<LocalResponse> {
    const exchange = new LocalExchange(request, this.#identity)
    void this.#handle(exchange)
    const response = await exchange.response
    // Many replies need no turn of the event loop: a program that asks until something happens would keep it from happening.
    await new Promise<void>((resolve) => nextTurn(resolve))
    return response
  }

  get<T = KubeObject>(path: string): Promise<T> {
    return this.#json<T>({ method: 'GET', path })
  }

  create<T = KubeObject>(path: string, object: object): Promise<T> {
    return this.#json<T>({ method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(object) })
  }

  update<T = KubeObject>(path: string, object: object): Promise<T> {
    return this.#json<T>({ method: 'PUT', path, headers: JSON_BODY, body: JSON.stringify(object) })
  }

  /** A patch; the type is the content type's middle part, `merge` unless told. */
  patch<T = KubeObject>(path: string, patch: unknown, type: PatchKind = 'merge'): Promise<T> {
    return this.#json<T>({
      method: 'PATCH',
      path,
      headers: { 'content-type': PATCH_TYPES[type] },
      body: JSON.stringify(patch),
    })
  }

  delete<T = KubeObject | Status>(path: string, options?: object): Promise<T> {
    const body = options === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(options) }
    return this.#json<T>({ method: 'DELETE', path, ...body })
  }

  /** The events of a watch, until the signal or the server ends it. */
  async *watch(path: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    const watched = `${path}${path.includes('?') ? '&' : '?'}watch=true`
    const response = await this.request({ method: 'GET', path: watched, ...(signal !== undefined && { signal }) })
    if (response.status >= 400) throw await failureOf(response)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as WatchEvent
    }
  }

  async #json<T>(request: LocalRequest): Promise<T> {
    const response = await this.request(request)
    if (response.status >= 400) throw await failureOf(response)
    return (await response.json()) as T
  }
}

const JSON_BODY = { 'content-type': 'application/json' } as const

export type PatchKind = 'merge' | 'json' | 'strategic' | 'apply'

const PATCH_TYPES: Readonly<Record<PatchKind, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

async function failureOf(response: LocalResponse): Promise<Error> {
  const text = (await response.bytes()).toString('utf8')
  // A path outside every group is answered in plain text.
  if (response.status === 404 && !text.startsWith('{')) return noSuchPath()
  const status = text.startsWith('{') ? (JSON.parse(text) as Status) : undefined
  if (status?.kind === 'Status') return new StatusError(status)
  return new Error(`the server answered ${response.status}: ${text}`)
}
