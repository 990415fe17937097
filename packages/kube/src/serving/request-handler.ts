import type { IncomingMessage, ServerResponse } from 'node:http'
import { internalError, StatusError } from '@orrery/kinds/values'
import type { Logger } from '../log.js'

/** Answers a request for a path. A `StatusError` that it throws becomes the response. */
export type Serve = (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Answers the requests of a listener, and knows when all are answered. */
export class RequestHandler {
  readonly #serve: Serve
  readonly #log: Logger
  readonly #inFlight = new Set<Promise<void>>()

  constructor(serve: Serve, log: Logger) {
    this.#serve = serve
    this.#log = log
  }

  /** Answers a request. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answered = this.#answer(request, response)
    this.#inFlight.add(answered)
    return answered.finally(() => this.#inFlight.delete(answered))
  }

  /** Resolves when all requests so far are answered. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#inFlight)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    const [path = ''] = (request.url ?? '').split('?')
    try {
      await this.#serve(path, request, response)
    } catch (error) {
      this.#fail(error, path, response)
    }
    await closed
  }

  #fail(error: unknown, path: string, response: ServerResponse): void {
    // The client is gone, or has half a response: an error cannot be sent any more.
    if (response.destroyed || response.headersSent) return void response.destroy()
    if (!(error instanceof StatusError)) this.#log.error('request failed', { path, error })
    const { status, code } = error instanceof StatusError ? error : internalError('the server has failed')
    // The rest of the body is not read, so the connection cannot be reused.
    response.writeHead(code, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(status))
  }
}
