import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { failure, internalError, type Logger, StatusError, unauthorized } from '@orrery/kube'
import { readJson } from './body.js'
import type { CountAnswer } from './metrics.js'
import { type ProbeOptions, serveProbe } from './probes.js'
import type { Route } from './routes.js'

export interface HandlerOptions {
  readonly routes: ReadonlyMap<string, Route>
  readonly probes: ProbeOptions
  /** Whether those who post must have shown a certificate. */
  readonly demandsCertificates: boolean
  readonly log: Logger
  readonly count: CountAnswer
}

/** Answers the requests of API servers, probes and collectors of metrics. */
export class RequestHandler {
  readonly #options: HandlerOptions
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: HandlerOptions) {
    this.#options = options
  }

  /** Answers a request. Never fails. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answered = this.#answer(request, response)
    this.#underWay.add(answered)
    return answered.finally(() => this.#underWay.delete(answered))
  }

  /** Resolves when everything that was asked so far is answered. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    const [path = ''] = (request.url ?? '').split('?')
    const route = this.#options.routes.get(path)
    try {
      if (route === undefined) await serveProbe(path, request, response, this.#options.probes)
      else await this.#serveRoute(route, request, response)
    } catch (error) {
      this.#fail(error, path, response)
    }
    await closed
  }

  async #serveRoute(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now()
    response.once('close', () =>
      this.#options.count(route.path, response.statusCode, (performance.now() - started) / 1000),
    )
    if (this.#options.demandsCertificates && !(request.socket as TLSSocket).authorized) throw unauthorized()
    if (request.method !== 'POST') throw failure(405, 'MethodNotAllowed', 'webhooks are posted to')
    const answer = await route.answer(await readJson(request, route.maxBytes))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  #fail(error: unknown, path: string, response: ServerResponse): void {
    // Whoever asked is gone, or has half an answer: there is nobody to tell.
    if (response.destroyed || response.headersSent) return void response.destroy()
    if (!(error instanceof StatusError)) this.#options.log.error('a request cannot be answered', { path, error })
    const { status, code } = error instanceof StatusError ? error : internalError('the server has failed')
    // What of the body has not been read yet is not going to be.
    response.writeHead(code, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(status))
  }
}
