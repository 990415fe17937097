import { noSuchPath } from '@orrery/kinds/values'
import type { MetricRegistry } from '@orrery/kube/metrics'
import { type Answer, answerDiscovery } from '../discovery/answer.js'
import type { Discovery } from '../discovery/discovery.js'
import { versionInfo } from '../discovery/version.js'
import { type Exchange, header } from '../http/exchange.js'
import { builtinResources } from '../kinds/index.js'
import { answerOpenApi } from '../openapi/answer.js'
import type { OpenApi } from '../openapi/openapi.js'
import type { Endpoint } from './pipeline.js'
import { sendDocument, sendPageNotFound } from './reply.js'

/** `/version`. */
export const versionEndpoint: Endpoint = {
  matches: (target) => target.path === '/version' || target.path === '/version/',
  serve: (exchange) => sendDocument(exchange, versionInfo()),
}

/** `/metrics`, in the Prometheus text format. */
export function metricsEndpoint(metrics: MetricRegistry): Endpoint {
  return {
    matches: (target) => target.path === '/metrics',
    serve(exchange) {
      exchange.reply(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }, Buffer.from(metrics.render()))
    },
  }
}

/** `/api`, `/apis` and everything below that is not a resource. */
export function discoveryEndpoint(discovery: Discovery): Endpoint {
  return {
    matches: ({ path }) => path === '/api' || path === '/apis' || path.startsWith('/api/') || path.startsWith('/apis/'),
    serve(exchange, { path }) {
      const answer = answerDiscovery(discovery, {
        path,
        accept: header(exchange, 'accept'),
        ifNoneMatch: header(exchange, 'if-none-match'),
      })
      if (answer === undefined && isBuiltinPath(path)) throw noSuchPath()
      sendAnswer(exchange, answer)
    },
  }
}

const BUILTIN_GROUPS: ReadonlySet<string> = new Set(builtinResources().map((resource) => resource.group))

/** Unknown paths below the groups of the server return a Status, others a plain 404. */
function isBuiltinPath(path: string): boolean {
  const [, root, group] = path.split('/')
  return root === 'api' || BUILTIN_GROUPS.has(group ?? '')
}

/** `/openapi/v2`, `/openapi/v3` and the documents below it. */
export function openapiEndpoint(openapi: OpenApi, now: () => Date): Endpoint {
  return {
    matches: ({ path }) => path === '/openapi/v2' || path === '/openapi/v3' || path.startsWith('/openapi/v3/'),
    async serve(exchange, { path, query }) {
      const answer = await answerOpenApi(openapi, {
        path,
        hash: query.has('hash') ? query.get('hash') : undefined,
        accept: header(exchange, 'accept'),
        acceptEncoding: header(exchange, 'accept-encoding'),
        ifNoneMatch: header(exchange, 'if-none-match'),
        now: now(),
      })
      if (answer === undefined || answer.body.length <= PIECE_BYTES) sendAnswer(exchange, answer)
      else await exchange.replyChunks(answer.status, headersOf(answer), piecesOf(answer.body))
    },
  }
}

function sendAnswer(exchange: Exchange, answer: Answer | undefined): void {
  if (answer === undefined) sendPageNotFound(exchange)
  else exchange.reply(answer.status, headersOf(answer), answer.body)
}

function headersOf({ headers }: Answer): Answer['headers'] {
  return { 'cache-control': 'no-cache, private', ...headers }
}

/** Larger documents are sent in pieces, as fast as the client reads them. */
const PIECE_BYTES = 256 * 1024

function piecesOf(body: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += PIECE_BYTES) pieces.push(body.subarray(at, at + PIECE_BYTES))
  return pieces
}

/** `/`: the list of paths. */
export function indexEndpoint(paths: () => readonly string[]): Endpoint {
  return {
    matches: (target) => target.path === '/' || target.path === '',
    serve: (exchange) => sendDocument(exchange, { paths: paths() }),
  }
}
