import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { Authenticate } from '../access/identity.js'
import { readJsonBody } from './body.js'
import { Problem, problemOf } from './problem.js'
import { type Answer, handlerOf, Router, type RouteSpec } from './router.js'

/** A group of routes with its own errors. */
export interface Api {
  readonly prefix: string
  readonly routes: readonly RouteSpec[]
  /** Users get errors of RFC 9457, agents `{error}`. */
  readonly errors: 'problem' | 'error'
  readonly maxBodyBytes: number
}

export interface RequestServerOptions {
  readonly apis: readonly Api[]
  readonly authenticate: Authenticate
  readonly metrics: MetricRegistry
  readonly clock: Clock
  readonly log: Logger
  /** Aborted when the server stops: ends requests that wait. */
  readonly stopping: AbortSignal
}

const BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60]

/** Answers the requests of some APIs. Returns false for paths of none of them. */
export function requestServer(options: RequestServerOptions) {
  const { authenticate, clock, log, stopping } = options
  // Every request listens to it, and Node.js warns of a leak at more than ten.
  setMaxListeners(0, stopping)
  const requests = options.metrics.counter({
    name: 'ovim_hub_http_requests_total',
    help: 'Requests to the OVIM hub, by route and status code.',
    labels: ['method', 'route', 'code'],
  })
  const durations = options.metrics.histogram({
    name: 'ovim_hub_http_request_duration_seconds',
    help: 'Duration of requests to the OVIM hub, with the time of long polls.',
    labels: ['route'],
    buckets: BUCKETS,
  })
  const apis = options.apis.map((api) => ({ ...api, router: new Router(api.routes) }))

  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const started = clock.elapsed()
    const url = urlOf(request)
    const api = url && apis.find(({ prefix }) => url.pathname === prefix || url.pathname.startsWith(`${prefix}/`))
    if (url === undefined || api === undefined) return false
    const match = api.router.find(url.pathname)
    const route = match?.route.path ?? 'none'
    response.once('close', () => {
      requests.with({ method: methodLabel(request.method), route, code: String(response.statusCode) }).add()
      durations.with({ route }).observe((clock.elapsed() - started) / 1_000)
    })
    const gone = new AbortController()
    const abort = () => gone.abort()
    response.once('close', abort)
    stopping.addEventListener('abort', abort)
    if (stopping.aborted) abort()
    try {
      const caller = await authenticate(request)
      if (match === undefined) throw new Problem(404, `there is nothing at ${url.pathname}`)
      const handle = handlerOf(match.route, request.method ?? '')
      const answer = await handle({
        request,
        path: url.pathname,
        query: url.searchParams,
        params: match.params,
        caller,
        signal: gone.signal,
        body: () => readJsonBody(request, api.maxBodyBytes),
      })
      await send(response, answer)
    } catch (error) {
      fail(error, api, url.pathname, request, response)
    } finally {
      stopping.removeEventListener('abort', abort)
    }
    return true
  }

  function fail(error: unknown, api: Api, path: string, request: IncomingMessage, response: ServerResponse): void {
    // The client is gone or has half an answer: it sees that the rest is missing.
    if (response.headersSent || response.destroyed) return void response.destroy()
    const problem = problemOf(error)
    if (problem.status >= 500) log.error('request failed', { path, error: problem.cause ?? problem })
    const isProblem = api.errors === 'problem'
    const body = isProblem
      ? problem.toJson(path)
      : { error: problem.message, ...(problem.errors.length > 0 && { errors: problem.errors }) }
    response.writeHead(problem.status, {
      ...problem.headers,
      'content-type': isProblem ? 'application/problem+json' : 'application/json',
      // The rest of a body was not read, so the connection cannot be used again.
      ...(!request.complete && { connection: 'close' }),
    })
    response.end(JSON.stringify(body))
  }
}

async function send(response: ServerResponse, { status, body, headers = {}, stream }: Answer): Promise<void> {
  if (response.destroyed) return
  if (stream !== undefined) {
    response.writeHead(status, headers)
    return stream(response)
  }
  if (body === undefined) return void response.writeHead(status, headers).end()
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers })
  response.end(bytes)
}

/** The path without slashes at its end. Undefined if it is not valid. */
function urlOf({ url = '' }: IncomingMessage): URL | undefined {
  try {
    const parsed = new URL(url, 'http://ovim')
    parsed.pathname = parsed.pathname.replace(/(?<=.)\/+$/, '')
    return parsed
  } catch {
    return undefined
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Clients choose the method: a label must have few values. */
function methodLabel(method = ''): string {
  return METHODS.has(method) ? method : 'other'
}
