import type { KubeObject } from '@orrery/kinds'
import type { Status } from '@orrery/kinds/values'
import { type HttpRequest, type HttpResponse, type KubeClient, readJson } from '@orrery/kube/client'

export interface PathEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject
}

type PatchKind = 'merge' | 'json' | 'strategic' | 'apply'

const JSON_BODY = { 'content-type': 'application/json' } as const

const PATCH_TYPES: Readonly<Record<PatchKind, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

/**
 * Sends requests as a test writes them: paths with a query, such as `/api/v1/namespaces/default/configmaps?limit=1`,
 * and untyped bodies. Adds nothing, not even a field manager.
 */
export class PathClient {
  readonly #client: KubeClient

  constructor(client: KubeClient) {
    this.#client = client
  }

  /** Sends any request. Resolves when the response starts, whatever its status. */
  request(request: HttpRequest): Promise<HttpResponse> {
    return this.#client.raw(request)
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

  patch<T = KubeObject>(path: string, patch: unknown, type: PatchKind = 'merge'): Promise<T> {
    const headers = { 'content-type': PATCH_TYPES[type] }
    return this.#json<T>({ method: 'PATCH', path, headers, body: JSON.stringify(patch) })
  }

  delete<T = KubeObject | Status>(path: string, options?: object): Promise<T> {
    const body = options === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(options) }
    return this.#json<T>({ method: 'DELETE', path, ...body })
  }

  /** Returns the events of a watch, including errors, until the signal or the server ends it. */
  async *watch(path: string, signal?: AbortSignal): AsyncGenerator<PathEvent> {
    const watched = `${path}${path.includes('?') ? '&' : '?'}watch=true`
    const response = await this.request({ method: 'GET', path: watched, ...(signal !== undefined && { signal }) })
    if (response.status >= 400) await readJson(response)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as PathEvent
    }
  }

  async #json<T>(request: HttpRequest): Promise<T> {
    return readJson<T>(await this.request(request))
  }
}

/** Returns the JSON of a response, whatever its status. */
export async function jsonOf(response: HttpResponse): Promise<unknown> {
  return JSON.parse((await response.bytes()).toString('utf8'))
}
