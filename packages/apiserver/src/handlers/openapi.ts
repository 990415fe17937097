import { noSuchPath, notAcceptable } from '@orrery/kube'
import { type Exchange, header } from '../http/exchange.js'
import { v2Form } from '../openapi/negotiation.js'
import { type OpenApi, type OpenApiDocument, V2_PROTOBUF_TYPE } from '../openapi/openapi.js'
import type { RequestTarget } from '../request/target.js'
import type { Endpoint } from './pipeline.js'

const YEAR_SECONDS = 31_536_000

/** `/openapi/v2`, `/openapi/v3` and the documents below it. */
export function openapiEndpoint(openapi: OpenApi): Endpoint {
  return {
    matches: ({ path }) => path === '/openapi/v2' || path === '/openapi/v3' || path.startsWith('/openapi/v3/'),
    async serve(exchange, target) {
      const { path } = target
      if (path === '/openapi/v2') {
        const form = v2Form(header(exchange, 'accept'))
        if (form === undefined) throw notAcceptable(['application/json', V2_PROTOBUF_TYPE])
        return sendDocument(exchange, openapi.v2(form), {})
      }
      if (path === '/openapi/v3') {
        exchange.reply(200, { 'Content-Type': 'application/json' }, await openapi.index())
        return
      }
      return serveGroupVersion(exchange, target, openapi)
    },
  }
}

function serveGroupVersion(exchange: Exchange, target: RequestTarget, openapi: OpenApi): void {
  const document = openapi.v3(target.path.slice('/openapi/v3/'.length))
  if (document === undefined) throw noSuchPath()
  const asked = target.query.get('hash')
  if (asked !== '' && asked !== document.hash) {
    const location = `${target.path}?hash=${document.hash}`
    exchange.reply(301, { Location: location }, Buffer.alloc(0))
    return
  }
  // The address changes with the content, so whoever has it may keep it.
  const forever = { 'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable` }
  sendDocument(exchange, document, asked === '' ? {} : forever)
}

function sendDocument(exchange: Exchange, document: OpenApiDocument, extra: Record<string, string>): void {
  const etag = `"${document.hash}"`
  const headers: Record<string, string> = { 'Content-Type': document.contentType, ETag: etag, Vary: 'Accept, Accept-Encoding', ...extra }
  if (header(exchange, 'if-none-match') === etag) return exchange.reply(304, headers, Buffer.alloc(0))
  const acceptsGzip = /\bgzip\b/.test(header(exchange, 'accept-encoding') ?? '')
  if (acceptsGzip) headers['Content-Encoding'] = 'gzip'
  exchange.reply(200, headers, acceptsGzip ? document.gzip : document.identity())
}
