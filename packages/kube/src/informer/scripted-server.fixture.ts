import type { ApiObject, Kind, NamespacedObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { KubeClient } from '../client/client.js'
import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'
import type { LogFields, Logger } from '../log.js'
import { FakeClock } from '../testing/fake-clock.js'
import { Informers, type InformersOptions } from './informers.js'

export interface Thing extends NamespacedObject {
  data?: Record<string, string>
}

export const Thing: Kind<Thing> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' }

/** A thing named `namespace/name` at a version. */
export function thing(key: string, version: number, more: Partial<Thing> & { uid?: string } = {}): Thing {
  const [namespace = '', name = ''] = key.split('/')
  const { uid = `uid-${key}`, ...rest } = more
  const metadata = { name, namespace, uid, resourceVersion: String(version), creationTimestamp: '2030-01-01T00:00:00Z' }
  return { apiVersion: 'v1', kind: 'Thing', ...rest, metadata: { ...metadata, ...rest.metadata } }
}

/** Runs all pending callbacks that need no time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A body whose chunks a test sends. */
export class ScriptedBody implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = []
  #end: { error?: Error } | undefined
  #wake: (() => void) | undefined
  /** Whether its reader has stopped. */
  closed = false

  send(...events: { type: string; object: unknown }[]): void {
    this.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  }

  write(text: string): void {
    this.#chunks.push(Buffer.from(text))
    this.#wake?.()
  }

  bookmark(version: number, annotations: Record<string, string> = {}): void {
    const object = { kind: 'Thing', apiVersion: 'v1', metadata: { resourceVersion: String(version), annotations } }
    this.send({ type: 'BOOKMARK', object })
  }

  /** The bookmark that ends initial events. */
  initialEnd(version: number): void {
    this.bookmark(version, { 'k8s.io/initial-events-end': 'true' })
  }

  /** Ends normally, or breaks. */
  end(error?: Error): void {
    this.#end = error === undefined ? {} : { error }
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift()
        if (chunk !== undefined) yield chunk
        else if (this.#end?.error !== undefined) throw this.#end.error
        else if (this.#end !== undefined) return
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      this.closed = true
    }
  }
}

/** A request that waits for a response of the test. */
export class ScriptedRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly accept: string
  readonly #request: HttpRequest
  readonly #settle: (response: HttpResponse | Error) => void

  constructor(request: HttpRequest, settle: (response: HttpResponse | Error) => void) {
    const url = new URL(request.path, 'http://server')
    this.path = url.pathname
    this.query = url.searchParams
    this.accept = String(request.headers?.accept)
    this.#request = request
    this.#settle = settle
    request.signal?.addEventListener('abort', () => settle(new Error('the request was aborted')))
  }

  get isWatch(): boolean {
    return this.query.get('watch') === 'true'
  }

  get isInitial(): boolean {
    return this.query.get('sendInitialEvents') === 'true'
  }

  get aborted(): boolean {
    return this.#request.signal?.aborted === true
  }

  /** Responds with a stream. */
  stream(): ScriptedBody {
    const body = new ScriptedBody()
    this.#request.signal?.addEventListener('abort', () => body.end(new Error('the request was aborted')))
    this.#settle(responseOf(200, body))
    return body
  }

  list(version: number, items: readonly ApiObject[], next?: string): void {
    const metadata = { resourceVersion: String(version), ...(next !== undefined && { continue: next }) }
    this.json(200, { kind: 'ThingList', apiVersion: 'v1', metadata, items })
  }

  json(status: number, value: unknown): void {
    const body = new ScriptedBody()
    body.write(JSON.stringify(value))
    body.end()
    this.#settle(responseOf(status, body))
  }

  /** Responds with an error; an error that is no Status is one of the network. */
  fail(error: Error): void {
    if (error instanceof StatusError) this.json(error.code, error.status)
    else this.#settle(error)
  }
}

function responseOf(status: number, body: ScriptedBody): HttpResponse {
  const bytes = async () => {
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return { status, headers: {}, body, bytes }
}

/** A server with responses from the test. */
export class ScriptedServer implements Transport {
  readonly #waiting: ScriptedRequest[] = []

  request(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const settle = (response: HttpResponse | Error) => {
        if (response instanceof Error) reject(response)
        else resolve(response)
      }
      this.#waiting.push(new ScriptedRequest(request, settle))
    })
  }

  /** The next request; fails if there is none. */
  async next(): Promise<ScriptedRequest> {
    await settled()
    const request = this.#waiting.shift()
    if (request === undefined) throw new Error('no request was made')
    return request
  }

  /** The number of requests that `next` has not returned. */
  async pending(): Promise<number> {
    await settled()
    return this.#waiting.length
  }
}

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: LogFields
}

function recordingLog(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields })
    }
  const log: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    enables: () => true,
    child: () => log,
  }
  return { log, lines }
}

/** Informers on a scripted server, with a fake clock. */
export function scripted(t: { after(step: () => Promise<void>): void }, options: InformersOptions = {}) {
  const server = new ScriptedServer()
  const clock = new FakeClock()
  const { log, lines } = recordingLog()
  const informers = new Informers(new KubeClient(server), { clock, log, random: () => 0, freeze: true, ...options })
  t.after(() => informers.close())
  return { server, clock, informers, lines }
}
