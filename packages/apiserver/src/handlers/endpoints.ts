import type { Discovery } from '../discovery/discovery.js'
import { type Exchange, header } from '../http/exchange.js'
import type { Metrics } from '../metrics.js'
import { versionInfo } from '../version.js'
import type { Endpoint } from './pipeline.js'
import { sendObject } from './reply.js'

/** `/version`. */
export const versionEndpoint: Endpoint = {
  matches: (target) => target.path === '/version' || target.path === '/version/',
  serve: (exchange) => sendObject(exchange, 200, versionInfo()),
}

/** `/metrics`, in Prometheus' text format. */
export function metricsEndpoint(metrics: Metrics): Endpoint {
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
    matches: (target) => discovery.get(target.path, undefined) !== undefined,
    serve(exchange, target) {
      const document = discovery.get(target.path, header(exchange, 'accept'))
      if (document === undefined) return
      replyCached(exchange, document.body, document.contentType, document.etag)
    },
  }
}

/** Sends a document that clients keep: with an ETag, and 304 when theirs is current. */
export function replyCached(exchange: Exchange, body: Buffer, contentType: string, etag: string | undefined): void {
  if (etag === undefined) {
    exchange.reply(200, { 'Content-Type': contentType, 'Cache-Control': 'no-cache, private' }, body)
    return
  }
  const headers = { 'Content-Type': contentType, ETag: etag, Vary: 'Accept', 'Cache-Control': 'public' }
  if (header(exchange, 'if-none-match') === etag) exchange.reply(304, headers, Buffer.alloc(0))
  else exchange.reply(200, headers, body)
}

/** `/`: the paths there are. */
export function indexEndpoint(paths: () => readonly string[]): Endpoint {
  return {
    matches: (target) => target.path === '/' || target.path === '',
    serve: (exchange) => sendObject(exchange, 200, { paths: paths() }),
  }
}
