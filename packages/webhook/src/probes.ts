import type { IncomingMessage, ServerResponse } from 'node:http'
import { type MetricRegistry, noSuchPath } from '@orrery/kube'
import type { CheckAccess } from './metrics-access.js'

/** What is wrong; empty when all is well. */
export type Check = () => readonly string[] | Promise<readonly string[]>

export interface ProbeOptions {
  /** By path: `/livez`, for example. Everybody may ask. */
  readonly checks: Readonly<Record<string, Check>>
  /** At `/metrics`. */
  readonly metrics: MetricRegistry
  readonly mayReadMetrics: CheckAccess
}

/** Answers probes and collectors of metrics. Throws a `StatusError` about everything else. */
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
