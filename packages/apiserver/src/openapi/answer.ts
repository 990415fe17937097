import { type Answer, NO_BODY } from '../discovery/answer.js'
import { matchesEtag } from '../discovery/etag.js'
import type { OpenApiDocument } from './document.js'
import { v2Form } from './negotiation.js'
import type { OpenApi } from './openapi.js'

export interface OpenApiRequest {
  /** `/openapi/v2`, `/openapi/v3` or `/openapi/v3/<root>`. */
  readonly path: string
  /** The `hash` query parameter. */
  readonly hash: string | undefined
  readonly accept: string | undefined
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly now: Date
}

const V3_ROOT = '/openapi/v3'
const YEAR = 365 * 24 * 60 * 60 * 1000

/** Answers a GET below `/openapi`. Returns undefined for unknown paths. */
export async function answerOpenApi(openapi: OpenApi, request: OpenApiRequest): Promise<Answer | undefined> {
  const { path } = request
  if (path === '/openapi/v2') {
    const form = v2Form(request.accept)
    if (form === undefined) return { status: 406, headers: { vary: 'Accept' }, body: NO_BODY }
    return conditional(await openapi.v2(form), request, {})
  }
  if (path === V3_ROOT || path === `${V3_ROOT}/`) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: await openapi.index() }
  }
  const root = path.startsWith(`${V3_ROOT}/`) ? path.slice(V3_ROOT.length + 1) : undefined
  const document = root === undefined ? undefined : await openapi.v3(root)
  return document && hashed(document, `${V3_ROOT}/${root}`, request)
}

/** The content at an address with the correct hash never changes; a wrong hash redirects to the correct one. */
async function hashed(document: OpenApiDocument, path: string, request: OpenApiRequest): Promise<Answer> {
  if (request.hash === undefined || request.hash === '') return conditional(document, request, {})
  if (request.hash !== document.hash) {
    return { status: 301, headers: { location: `${path}?hash=${document.hash}`, vary: 'Accept' }, body: NO_BODY }
  }
  const expires = new Date(request.now.getTime() + YEAR).toUTCString()
  return conditional(document, request, { 'cache-control': 'public, immutable', expires })
}

async function conditional(
  document: OpenApiDocument,
  request: OpenApiRequest,
  caching: Record<string, string>,
): Promise<Answer> {
  const etag = `"${document.hash}"`
  const headers = { ...caching, etag, vary: 'Accept, Accept-Encoding' }
  if (matchesEtag(request.ifNoneMatch, etag)) return { status: 304, headers, body: NO_BODY }
  const typed = { ...headers, 'content-type': document.contentType }
  if (!takesGzip(request.acceptEncoding)) return { status: 200, headers: typed, body: await document.identity() }
  return { status: 200, headers: { ...typed, 'content-encoding': 'gzip' }, body: document.gzip }
}

function takesGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false
  return acceptEncoding.split(',').some((clause) => {
    const [coding, quality] = clause.split(';').map((part) => part.trim().toLowerCase())
    return coding === 'gzip' && (quality === undefined || !/^q=0(\.0*)?$/.test(quality))
  })
}
