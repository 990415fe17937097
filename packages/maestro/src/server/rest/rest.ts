import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Logger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { Access, Caller, Credentials } from '../access/access.js'
import { openAccess } from '../access/checks.js'
import { MaestroError } from '../errors.js'
import type { Answer } from './answer.js'
import { clientError, errorAnswer, noSuchPath } from './failure.js'
import { ListLimit } from './list-limit.js'
import { requestCounter } from './metrics.js'
import { operationId } from './operation-id.js'
import { BUNDLES_PATH, CONSUMERS_PATH } from './paths.js'
import { type RestBackend, type Route, restRoutes } from './routes.js'
import { sendAnswer } from './send.js'

export interface RestOptions {
  readonly backend: RestBackend
  readonly access: Access
  readonly metrics: MetricRegistry
  readonly log: Logger
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface Found {
  /** The path of the route, with `{id}`. */
  readonly template: string
  readonly route: Route
  readonly id: string
  readonly isList: boolean
}

const LISTS: ReadonlySet<string> = new Set([BUNDLES_PATH, CONSUMERS_PATH])

/** Answers requests for the REST API. Never rejects. */
export function serveRest({ backend, access, metrics, log }: RestOptions): Serve {
  const routes = restRoutes(backend)
  const count = requestCounter(metrics)
  const lists = new ListLimit()

  const authorized = async (request: IncomingMessage, url: URL): Promise<Caller> => {
    const caller = await access.authenticate(credentialsOf(request))
    await access.authorize(caller, (request.method ?? '').toLowerCase(), url.pathname)
    return caller
  }

  const answer = async (
    request: IncomingMessage,
    url: URL,
    found: Found | undefined,
    caller: Caller,
  ): Promise<Answer> => {
    const method = request.method ?? ''
    if (found === undefined) return noSuchPath(url.pathname)
    const { route, id } = found
    const handle = Object.hasOwn(route, method) ? route[method] : undefined
    if (handle === undefined) return wrongMethod(route, request)
    const authorize = (verb: string, path: string) => access.authorize(caller, verb, path)
    return handle({ request, query: url.searchParams, id, authorize })
  }

  return async (request, response) => {
    const started = performance.now()
    const operation = operationId(request.headers['x-operation-id'])
    const headers = { vary: 'Authorization', 'x-operation-id': operation }
    const url = urlOf(request)
    const found = url && findRoute(routes, url.pathname)
    response.once('close', () =>
      count(request.method ?? '', found?.template, response.statusCode, performance.now() - started),
    )
    try {
      if (url === undefined) throw new MaestroError('BadRequest', 'the path of the request is not valid')
      const caller = await authorized(request, url)
      const send = async () => sendAnswer(request, response, await answer(request, url, found, caller), headers)
      // Lists are counted before they are searched, which can take longer than sending them.
      const isList = request.method === 'GET' && found?.isList === true
      if (isList) await lists.run(access === openAccess ? undefined : caller.user, send)
      else await send()
    } catch (error) {
      // The client is gone or has half an answer: it sees that the rest is missing.
      if (response.headersSent || response.destroyed) return void response.destroy()
      const refusal = clientError(error)
      if (refusal.httpStatus >= 500) log.error('request failed', { path: request.url, operation, error })
      const { httpStatus } = refusal
      const extra =
        httpStatus === 401 ? { 'www-authenticate': 'Bearer' } : httpStatus === 503 ? { 'retry-after': '1' } : {}
      // The rest of a body was not read, so the connection cannot be used again.
      const connection = request.complete ? {} : { connection: 'close' }
      await sendAnswer(request, response, errorAnswer(refusal, operation), { ...headers, ...extra, ...connection })
    }
  }
}

/** Only certificates that TLS has verified. */
export function credentialsOf({ socket, headers }: IncomingMessage): Credentials {
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>
  return {
    ...(authorized === true && { certificate: getPeerCertificate?.call(socket) }),
    authorization: headers.authorization,
  }
}

/** The path without slashes at its end. Undefined if it is not valid. */
function urlOf({ url = '' }: IncomingMessage): URL | undefined {
  try {
    const parsed = new URL(url, 'http://maestro')
    parsed.pathname = parsed.pathname.replace(/(?<=.)\/+$/, '')
    return parsed
  } catch {
    return undefined
  }
}

function findRoute(routes: ReadonlyMap<string, Route>, path: string): Found | undefined {
  const exact = routes.get(path)
  if (exact !== undefined) return { template: path, route: exact, id: '', isList: LISTS.has(path) }
  const slash = path.lastIndexOf('/')
  const template = `${path.slice(0, slash)}/{id}`
  const route = routes.get(template)
  if (route === undefined) return undefined
  try {
    return { template, route, id: decodeURIComponent(path.slice(slash + 1)), isList: false }
  } catch {
    return undefined
  }
}

function wrongMethod(route: Route, request: IncomingMessage): Answer {
  const allow = Object.keys(route).join(', ')
  const error = new MaestroError('MethodNotAllowed', `${request.method} is not allowed here: use ${allow}`)
  const { httpStatus } = error
  const answer = errorAnswer(error, operationId(request.headers['x-operation-id']))
  return { ...(answer as { body: Buffer }), status: httpStatus, allow }
}
