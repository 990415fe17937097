import type { IncomingMessage, ServerResponse } from 'node:http'
import { noSuchPath } from '@orrery/kinds/values'
import type { MetricRegistry } from '../metrics/registry.js'
import type { CheckAccess } from './metrics-access.js'

/** A health check: returns the problems, none if healthy. */
export type Check = () => readonly string[] | Promise<readonly string[]>

/** What to serve to probes and metrics scrapers. */
export interface ProbeOptions {
  /** Health checks by path, such as `/livez`. They need no authentication. */
  readonly checks: Readonly<Record<string, Check>>
  /** Served at `/metrics`. */
  readonly metrics: MetricRegistry
  /** Reviews access to metrics. */
  readonly mayReadMetrics: CheckAccess
}

/** Answers probes and metrics scrapers. Throws a `StatusError` for every other request. */
export async function serveProbe(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  { checks, metrics, mayReadMetrics }: ProbeOptions,
): Promise<void> {
  const check = Object.hasOwn(checks, path) ? checks[path] : undefined
  if ((request.method !== 'GET' && request.method !== 'HEAD') || (check === undefined && path !== '/metrics')) {
    throw noSuchPath()
  }
  if (check !== undefined) {
    const problems = await check()
    sendText(response, problems.length === 0 ? 200 : 503, problems.length === 0 ? 'ok' : problems.join('\n'))
    return
  }
  await mayReadMetrics(request.headers.authorization)
  sendText(response, 200, metrics.render(), 'text/plain; version=0.0.4')
}

function sendText(response: ServerResponse, code: number, text: string, type = 'text/plain'): void {
  response.writeHead(code, { 'content-type': `${type}; charset=utf-8` }).end(text)
}
