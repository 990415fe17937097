import { Readable } from 'node:stream'
import { KubeClient } from '../client/client.js'
import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'

/** The response of a path. */
export interface Recorded {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A server of documents: returns the response set for a path, and 404 elsewhere. */
export class DocumentServer implements Transport {
  readonly documents = new Map<string, Recorded | ((request: HttpRequest) => Recorded)>()
  readonly requests: HttpRequest[] = []
  readonly client = new KubeClient(this)
  /** Responses wait for it, if set. */
  gate: Promise<void> | undefined

  async request(request: HttpRequest): Promise<HttpResponse> {
    this.requests.push(request)
    await this.gate
    const found = this.documents.get(request.path) ?? { status: 404, body: 'no such path' }
    const { status = 200, headers = {}, body } = typeof found === 'function' ? found(request) : found
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? ''))
    return { status, headers, body: Readable.from([bytes]), bytes: () => Promise.resolve(bytes) }
  }

  /** How often a path was requested. */
  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length
  }
}

/** An `APIGroupDiscoveryList` with an entity tag: the server returns it unless the client has it. */
export function taggedList(etag: string, items: readonly object[]): (request: HttpRequest) => Recorded {
  return ({ headers }) =>
    headers?.['if-none-match'] === etag
      ? { status: 304, headers: { etag }, body: '' }
      : { headers: { etag }, body: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items } }
}

/** A resource of an aggregated document. */
export function aggregatedResource(plural: string, kind: string, more: object = {}): object {
  return {
    resource: plural,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['get', 'list', 'watch'],
    ...more,
  }
}
