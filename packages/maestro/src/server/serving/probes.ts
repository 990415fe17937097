import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@orrery/kube/clock'
import type { MetricRegistry } from '@orrery/kube/metrics'

export type Health = 'ok' | 'not ready' | 'error'

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const CODES: Readonly<Record<Health, number>> = { ok: 200, 'not ready': 503, error: 500 }

/**
 * `/healthcheck` answers with the health of the server and its database, for readiness probes; `/livez` always with
 * 200, so that a database that is down does not restart the server. `details` are shown besides the health.
 */
export function serveHealth(check: () => Promise<Health>, details: () => object = () => ({})): Serve {
  return async (request, response) => {
    const path = pathOf(request)
    if (path === '/livez') return answer(response, 'ok')
    if (path === '/healthcheck') return answer(response, await check(), details())
    response.writeHead(404).end()
  }
}

function answer(response: ServerResponse, health: Health, details: object = {}): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(CODES[health], headers).end(JSON.stringify({ status: health, ...details }))
}

/** `/metrics`, for callers that `mayRead` accepts. It rejects with the status and the reason for others. */
export function serveMetrics(metrics: MetricRegistry, refusal: (request: IncomingMessage) => Promise<Refusal>): Serve {
  return async (request, response) => {
    if (pathOf(request) !== '/metrics') return void response.writeHead(404).end()
    const refused = await refusal(request)
    if (refused !== undefined) return void response.writeHead(refused.status).end(`${refused.reason}\n`)
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics.render())
  }
}

/** Undefined if the caller may read. */
export type Refusal = { readonly status: number; readonly reason: string } | undefined

function pathOf({ url = '' }: IncomingMessage): string {
  return (url.split('?')[0] as string).replace(/(?<=.)\/+$/, '')
}

/** A check whose result is used for a second, so that many probes cost no more than one. */
export function remembered(check: () => Promise<Health>, clock: Clock): () => Promise<Health> {
  let last: Promise<Health> | undefined
  return () => {
    if (last === undefined) {
      last = check()
      clock.after(REMEMBERED_MS, () => {
        last = undefined
      })
    }
    return last
  }
}

const REMEMBERED_MS = 1_000
