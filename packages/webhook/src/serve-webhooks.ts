import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { failure, unauthorized } from '@orrery/kinds/values'
import { type ProbeOptions, type Serve, serveProbe } from '@orrery/kube/serving'
import { readJson } from './body.js'
import { BodyBudget } from './body-budget.js'
import type { CountResponse } from './metrics.js'
import type { Route } from './routes.js'

export interface WebhookServing {
  readonly routes: ReadonlyMap<string, Route>
  readonly probes: ProbeOptions
  /** Whether API servers must authenticate with a client certificate. */
  readonly demandsCertificates: boolean
  readonly count: CountResponse
}

/** Two conversions of the maximum size at the same time. */
const MAX_INCOMPLETE_BYTES = 128 * 1024 * 1024

/** Answers API servers, probes and scrapers of metrics. */
export function serveWebhooks({ routes, probes, demandsCertificates, count }: WebhookServing): Serve {
  const budget = new BodyBudget(MAX_INCOMPLETE_BYTES)
  const serveRoute = async (route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const started = performance.now()
    response.once('close', () => count(route.path, response.statusCode, (performance.now() - started) / 1000))
    if (demandsCertificates && !(request.socket as TLSSocket).authorized) throw unauthorized()
    if (request.method !== 'POST') throw failure(405, 'MethodNotAllowed', 'webhooks only accept POST')
    const answer = await route.answer(await readJson(request, route.limits, budget))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
  return (path, request, response) => {
    const route = routes.get(path)
    return route === undefined ? serveProbe(path, request, response, probes) : serveRoute(route, request, response)
  }
}
