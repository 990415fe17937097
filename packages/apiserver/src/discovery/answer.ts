import type { Discovery } from './discovery.js'
import { matchesEtag } from './etag.js'

/** A response, independent of the transport. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const NO_BODY = Buffer.alloc(0)

export interface DiscoveryRequest {
  readonly path: string
  readonly accept: string | undefined
  readonly ifNoneMatch: string | undefined
}

/** Answers a GET of `/api`, `/apis` or a path below that is not a resource. Returns undefined for unknown paths. */
export function answerDiscovery(discovery: Discovery, request: DiscoveryRequest): Answer | undefined {
  const document = discovery.get(request.path, request.accept)
  if (document === undefined) return undefined
  const { body, contentType, etag } = document
  if (etag === undefined) return { status: 200, headers: { 'content-type': contentType }, body }
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' }
  if (matchesEtag(request.ifNoneMatch, etag)) return { status: 304, headers, body: NO_BODY }
  return { status: 200, headers: { ...headers, 'content-type': contentType }, body }
}
