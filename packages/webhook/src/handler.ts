import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import {
  type Clock,
  failure,
  internalError,
  type Logger,
  type MetricRegistry,
  noSuchPath,
  StatusError,
  unauthorized,
} from '@orrery/kube'
import { readJson } from './body.js'
import type { CountAnswer } from './metrics.js'
import type { Route } from './routes.js'
import type { ServingCertificate } from './servingcertificate.js'

export interface HandlerOptions {
  readonly routes: ReadonlyMap<string, Route>
  readonly certificate: ServingCertificate
  /** Whether those who post must have shown a certificate. */
  readonly demandsCertificates: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
  readonly count: CountAnswer
}

/** Answers the requests of API servers, probes and collectors of metrics. */
export class WebhookHandler {
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
      if (route === undefined) await this.#serveOthers(path, request, response)
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

  async #serveOthers(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw noSuchPath()
    if (path === '/healthz') sendText(response, 200, 'ok')
    else if (path === '/readyz') await this.#serveReadiness(response)
    else if (path === '/metrics') sendText(response, 200, this.#options.metrics.render(), 'text/plain; version=0.0.4')
    else throw noSuchPath()
  }

  /** Probes come often: a good time to look at the certificate where nobody tells that files have changed. */
  async #serveReadiness(response: ServerResponse): Promise<void> {
    const { certificate, clock } = this.#options
    await certificate.refresh()
    const { notAfter } = certificate.pair
    if (clock.now() <= notAfter) sendText(response, 200, 'ok')
    else sendText(response, 503, `the certificate expired at ${notAfter.toISOString()}`)
  }

  #fail(error: unknown, path: string, response: ServerResponse): void {
    // Whoever asked is gone, or has half an answer: there is nobody to tell.
    if (response.destroyed || response.headersSent) return void response.destroy()
    if (!(error instanceof StatusError)) this.#options.log.error('a request cannot be answered', { path, error })
    const { status, code } = error instanceof StatusError ? error : internalError('the webhook has failed')
    // What of the body has not been read yet is not going to be.
    response.writeHead(code, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(status))
  }
}

function sendText(response: ServerResponse, code: number, text: string, type = 'text/plain'): void {
  response.writeHead(code, { 'content-type': `${type}; charset=utf-8` }).end(text)
}
